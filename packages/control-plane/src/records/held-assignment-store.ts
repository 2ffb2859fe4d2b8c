import type { Queryable, Transaction } from '@roadstead/postgres';
import type { HeldAssignment } from './deal-rules.ts';

/** Which instance of a listener has which deployment. */

const is_gone = `(removed and observed_generation = generation and observed ->> 'outcome' = 'done')`;

/** Those that are not gone, the oldest first. Who has which stays as it is while the caller has the listener. */
export async function listHeld(
  tx: Transaction,
  listener_id: string,
): Promise<(HeldAssignment & { readonly fence: number })[]> {
  return tx.query(
    `select deployment_id, instance, next_instance, fence, hosts,
       observed_generation = generation and coalesce(observed ->> 'outcome' <> 'running', false) as is_settled
     from assignments where listener_id = $1 and not ${is_gone} order by deployment_id`,
    [listener_id],
  );
}

/** Whether the listener has deployments on their way from one instance to another. */
export async function hasMoving(db: Queryable, listener_id: string): Promise<boolean> {
  const row = await db.maybe(
    'select deployment_id from assignments where listener_id = $1 and next_instance is not null limit 1',
    [listener_id],
  );
  return row !== undefined;
}

/** Whether the listener has deployments that none of its instances has. */
export async function hasUnheld(db: Queryable, listener_id: string): Promise<boolean> {
  const row = await db.maybe(
    `select deployment_id from assignments where listener_id = $1 and instance is null and not ${is_gone} limit 1`,
    [listener_id],
  );
  return row !== undefined;
}

/** A deployment that an instance has from now on. */
interface Take {
  readonly deployment_id: string;
  readonly instance: string;
  readonly fence: number;
}

/** Gives deployments to instances. @param at.generation that before the first of as many as there are, which were drawn for this */
export async function takeAssignments(
  tx: Transaction,
  at: { readonly takes: readonly Take[]; readonly generation: number },
): Promise<void> {
  await tx.run(
    `update assignments a set instance = t.instance, fence = t.fence, next_instance = null, is_next_ready = false, hosts = 0,
       generation = case when a.generation = 0 then 0 else $4 + t.at end
     from unnest($1::uuid[], $2::text[], $3::bigint[]) with ordinality as t (id, instance, fence, at) where a.deployment_id = t.id`,
    [
      at.takes.map((one) => one.deployment_id),
      at.takes.map((one) => one.instance),
      at.takes.map((one) => one.fence),
      at.generation,
    ],
  );
}

/** Names who takes deployments over; null: nobody. */
export async function moveAssignments(
  tx: Transaction,
  at: {
    readonly moves: readonly { readonly deployment_id: string; readonly next_instance: string | null }[];
    readonly generation: number;
  },
): Promise<void> {
  await tx.run(
    `update assignments a set next_instance = t.next_instance, is_next_ready = false,
       generation = case when a.generation = 0 then 0 else $3 end
     from unnest($1::uuid[], $2::text[]) as t (id, next_instance) where a.deployment_id = t.id`,
    [at.moves.map((one) => one.deployment_id), at.moves.map((one) => one.next_instance), at.generation],
  );
}

/** A step of a handover, as who takes it names itself. */
export interface HandoverStep {
  readonly listener_id: string;
  readonly deployment_id: string;
  readonly instance: string;
  readonly fence: number;
}

/** Who takes a deployment over has what it needs; false where it does not take it over, or lost its lease. */
export async function markPrepared(
  tx: Transaction,
  { listener_id, deployment_id, instance, fence, generation }: HandoverStep & { readonly generation: number },
): Promise<boolean> {
  const count = await tx.run(
    `update assignments a set is_next_ready = true, generation = $5 from listener_instances i
     where a.listener_id = $1 and a.deployment_id = $2 and a.next_instance = $3
       and i.listener_id = a.listener_id and i.name = $3 and i.fence = $4`,
    [listener_id, deployment_id, instance, fence, generation],
  );
  return count > 0;
}

/** The holder of a deployment has closed it: nobody has it now; false where it was another’s. */
export async function markReleased(
  tx: Transaction,
  { listener_id, deployment_id, instance, fence }: HandoverStep,
): Promise<boolean> {
  const count = await tx.run(
    `update assignments set instance = null, hosts = 0
     where listener_id = $1 and deployment_id = $2 and instance = $3 and fence = $4`,
    [listener_id, deployment_id, instance, fence],
  );
  return count > 0;
}
