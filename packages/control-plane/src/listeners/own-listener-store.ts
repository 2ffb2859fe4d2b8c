import type { Listener } from '@roadstead/contracts/control-plane';
import { type UnderLock, nowLocked, type Queryable, type Transaction } from '@roadstead/postgres';
import type { RowKey } from '../records/keys.ts';
import { listenerColumns } from '../records/listener-store.ts';

/** Undefined when the workspace has one with this compute_id. */
export async function insertListener(
  tx: Transaction,
  fresh: RowKey & Pick<Listener, 'compute_type' | 'compute_id' | 'compute_config' | 'version'>,
): Promise<Listener | undefined> {
  return tx.maybe(
    `insert into listeners (id, workspace_id, compute_type, compute_id, compute_config, version, capabilities)
     values ($1, $2, $3, $4, $5::text::jsonb, $6, '{}')
     on conflict (workspace_id, compute_id) do nothing returning ${listenerColumns}`,
    [
      fresh.id,
      fresh.workspace_id,
      fresh.compute_type,
      fresh.compute_id,
      JSON.stringify(fresh.compute_config),
      fresh.version,
    ],
  );
}

/** Locks one of the workspace's own listeners; nothing is assigned to it until the transaction ends. */
export async function lockOwnListener(
  tx: Transaction,
  { workspace_id, id }: RowKey,
): Promise<{ readonly listener: Listener; readonly tx: UnderLock<'listener'> } | undefined> {
  const listener = await tx.maybe<Listener>(
    `select ${listenerColumns} from listeners where id = $1 and workspace_id = $2 for update`,
    [id, workspace_id],
  );
  return listener === undefined ? undefined : { listener, tx: nowLocked(tx) };
}

/** Keeps two listeners that would share a namespace from being registered at once. */
export async function lockListenersOf(tx: Transaction, workspace_id: string): Promise<Listener[]> {
  await tx.run(`select pg_advisory_xact_lock(hashtextextended('roadstead.control.listeners ' || $1, 0))`, [
    workspace_id,
  ]);
  return tx.query(`select ${listenerColumns} from listeners where workspace_id = $1`, [workspace_id]);
}

export async function updateListener(
  tx: UnderLock<'listener'>,
  { id, ...change }: Pick<Listener, 'id' | 'version' | 'compute_config'>,
): Promise<Listener> {
  return tx.one(
    `update listeners set version = $2, compute_config = $3::text::jsonb, updated_at = now()
     where id = $1 returning ${listenerColumns}`,
    [id, change.version, JSON.stringify(change.compute_config)],
  );
}

export async function deleteListener(tx: UnderLock<'listener'>, id: string): Promise<void> {
  await tx.run('delete from listeners where id = $1', [id]);
}

/** The deployments that it runs, or will; those in the bin still have a database with it. */
export async function listDeploymentsOf(
  db: Queryable,
  listener_id: string,
): Promise<{ readonly name: string; readonly namespace: string | null; readonly is_binned: boolean }[]> {
  return db.query(
    `select d.name, a.namespace,
       d.status = 'DELETED' as is_binned
     from assignments a join deployments d on d.id = a.deployment_id where a.listener_id = $1 order by d.name`,
    [listener_id],
  );
}
