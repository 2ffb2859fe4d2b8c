import { Problem } from '@roadstead/kit';
import { type UnderLock, nowLocked, type Queryable, type Transaction } from '@roadstead/postgres';
import type { InstanceState } from './deal-rules.ts';
import { noDeployment } from './deployment-store.ts';
import { LEASE_S, listenerNews, type ListenerReport, newsValues, placeUnplaced } from './listener-store.ts';

/** Instances of listeners, each with a lease of its own. The only one of a listener has an empty name. */

export interface InstanceKey {
  readonly listener_id: string;
  readonly instance: string;
}

/** What an instance says of itself. */
export interface InstanceReport extends ListenerReport {
  readonly address?: string | undefined;
  readonly is_draining?: boolean | undefined;
}

/** The lease of an instance, and the listener's generation. */
export interface Lease {
  readonly fence: number;
  readonly generation: number;
  readonly lease_expires_at: string;
}

/**
 * Gives the lease of an instance to a new holder at once; later reports of the earlier one are refused. The number of running hosts
 * is reported again.
 */
export async function takeLease(
  tx: Transaction,
  { listener_id, instance }: InstanceKey,
  report: InstanceReport,
): Promise<Lease> {
  const taken = await tx.one<Lease>(
    `update listeners set fence = fence + 1, updated_at = now(), ${listenerNews} where id = $1 and $2::text is not null
     returning fence, generation, lease_expires_at`,
    [listener_id, instance, ...newsValues(report)],
  );
  await tx.run(
    `insert into listener_instances (listener_id, name, fence, address, is_draining, lease_expires_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (listener_id, name) do update set fence = excluded.fence, address = excluded.address,
       is_draining = excluded.is_draining, lease_expires_at = excluded.lease_expires_at`,
    [
      listener_id,
      instance,
      taken.fence,
      report.address ?? null,
      report.is_draining ?? false,
      taken.lease_expires_at,
    ],
  );
  await placeUnplaced(tx, listener_id);
  await tx.run('update assignments set fence = $3, hosts = 0 where listener_id = $1 and instance = $2', [
    listener_id,
    instance,
    taken.fence,
  ]);
  return taken;
}

/** Undefined when the fence is stale. */
export async function renewLease(
  db: Queryable,
  { listener_id, instance }: InstanceKey,
  report: InstanceReport & Pick<Lease, 'fence'>,
): Promise<Lease | undefined> {
  const renewed = await db.maybe<Lease>(
    `with listener as (select id from listeners where id = $1 for no key update),
     held as (
       update listener_instances set lease_expires_at = now() + make_interval(secs => ${LEASE_S}),
         address = coalesce($10, address), is_draining = $11
       from listener where listener_id = listener.id and name = $2 and fence = $9 returning fence)
     update listeners set ${listenerNews} from held where id = $1
     returning held.fence, generation, lease_expires_at`,
    [
      listener_id,
      instance,
      ...newsValues(report),
      report.fence,
      report.address ?? null,
      report.is_draining ?? false,
    ],
  );
  if (renewed !== undefined && report.served_namespaces !== undefined) await placeUnplaced(db, listener_id);
  return renewed;
}

/** Its next poll is refused, unless it is by this fence. */
export async function setFence(
  tx: Transaction,
  { listener_id, instance }: InstanceKey,
  { fence }: Pick<Lease, 'fence'>,
): Promise<void> {
  await tx.run('update listener_instances set fence = $3 where listener_id = $1 and name = $2', [
    listener_id,
    instance,
    fence,
  ]);
}

/**
 * Gives all instances that were there a lease anew where none of them was heard of in time: then it was us who were away, and whoever
 * calls first must not get what the others still run.
 */
export async function forgiveOutage(db: Queryable, listener_id: string): Promise<void> {
  await db.run(
    `update listener_instances i set lease_expires_at = now() + make_interval(secs => ${LEASE_S})
     from listeners l where l.id = $1 and i.listener_id = l.id and l.lease_expires_at < now() and not i.is_draining
       and i.lease_expires_at > l.lease_expires_at - make_interval(secs => ${LEASE_S})`,
    [listener_id],
  );
}

/** Whether nobody else has taken the lease of an instance. */
export async function isFenceOf(
  db: Queryable,
  { listener_id, instance }: InstanceKey,
  { fence }: Pick<Lease, 'fence'>,
): Promise<boolean> {
  const row = await db.maybe(
    'select fence from listener_instances where listener_id = $1 and name = $2 and fence = $3',
    [listener_id, instance, fence],
  );
  return row !== undefined;
}

/** Ends the lease of an instance that runs nothing any more. */
export async function endLease(
  db: Queryable,
  { listener_id, instance }: InstanceKey,
  { fence }: Pick<Lease, 'fence'>,
): Promise<void> {
  await db.run(
    `update listener_instances set lease_expires_at = now(), is_draining = true
     where listener_id = $1 and name = $2 and fence = $3`,
    [listener_id, instance, fence],
  );
}

/** Those that have deployments or a lease, by name. */
export async function listInstances(db: Queryable, listener_id: string): Promise<InstanceState[]> {
  return db.query<InstanceState>(
    `select name, fence, lease_expires_at > now() as is_live, is_draining
     from listener_instances i where listener_id = $1 and (lease_expires_at > now() or exists (
       select from assignments a where a.listener_id = i.listener_id and a.instance = i.name))
     order by name`,
    [listener_id],
  );
}

/** The holder of an assignment, as it names itself. */
export interface Holder {
  readonly listener_id: string;
  readonly deployment_id: string;
  readonly fence: number;
}

/**
 * @throws Problem `not_found` where the listener does not have the deployment, `conflict` unless the caller holds it, and the lease of
 * its instance
 */
export async function requireHolder(
  db: Queryable,
  { listener_id, deployment_id, fence }: Holder,
): Promise<void> {
  const row = await db.maybe<{ is_holder: boolean }>(
    `select a.fence = $3 and coalesce(i.lease_expires_at > now(), false) as is_holder from assignments a
       left join listener_instances i on i.listener_id = a.listener_id and i.name = a.instance
     where a.deployment_id = $1 and a.listener_id = $2`,
    [deployment_id, listener_id, fence],
  );
  if (row === undefined) throw noDeployment();
  if (!row.is_holder) throw staleFence();
}

/**
 * Keeps the holder of an assignment as it is until the transaction ends: another one waits. A holder whose lease has ended, and whose
 * deployment nobody has taken, may still report. Throws `conflict` when the fence is stale.
 */
export async function lockHolder<T extends Transaction>(
  tx: T,
  { listener_id, deployment_id, fence }: Holder,
): Promise<T & UnderLock<'lease'>> {
  const row = await tx.maybe(
    `select deployment_id from assignments where deployment_id = $1 and listener_id = $2 and fence = $3
     for no key update`,
    [deployment_id, listener_id, fence],
  );
  if (row === undefined) throw staleFence();
  return nowLocked<'lease'>(tx) as T & UnderLock<'lease'>;
}

export function staleFence(): Problem {
  return new Problem('conflict', 'The fence is stale: the lease has a new holder.', {
    hint: 'Start again with since=0 and without a fence.',
  });
}
