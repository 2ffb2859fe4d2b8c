import type { Database, Queryable, Transaction } from '@roadstead/postgres';
import { holdEpoch } from '../runs/run-store.ts';

/**
 * Removes threads, wholly or except their newest state: meanwhile nothing begins on them in this engine, and no other
 * engine takes over. It uses connections whose planner may scan.
 */

/** The ids among these whose metadata contains what the caller may see. */
export async function listVisible(
  db: Queryable,
  { ids, within }: { readonly ids: readonly string[]; readonly within: object },
): Promise<string[]> {
  const rows = await db.query<{ thread_id: string }>(
    'select thread_id from threads where thread_id = any($1::uuid[]) and metadata @> $2::jsonb',
    [ids, JSON.stringify(within)],
  );
  return rows.map((row) => row.thread_id);
}

/** The threads whose metadata names the assistant that they were made for. */
export async function listOfAssistant(
  db: Queryable,
  { assistant_id, within }: { readonly assistant_id: string; readonly within: object },
): Promise<string[]> {
  const rows = await db.query<{ thread_id: string }>(
    'select thread_id from threads where metadata @> $1::jsonb and metadata @> $2::jsonb and not temporary',
    [JSON.stringify({ assistant_id }), JSON.stringify(within)],
  );
  return rows.map((row) => row.thread_id);
}

const byUuid = ['task_events', 'run_events'] as const;

/** Removes threads with all that belongs to them, except those with an unfinished run. Answers the removed ones. */
export async function deleteThreads(
  db: Database,
  { ids, epoch }: { readonly ids: readonly string[]; readonly epoch: number },
): Promise<string[]> {
  return db.transaction(async (tx) => {
    await holdEpoch(tx, epoch);
    const idle = await tx.query<{ thread_id: string }>(
      `select t.thread_id from threads t where t.thread_id = any($1::uuid[])
         and t.thread_id not in (select r.thread_id from queue q join runs r using (run_id))
       order by t.thread_id for update`,
      [ids],
    );
    const going = idle.map((row) => row.thread_id);
    if (going.length > 0) await deleteIdle(tx, going);
    return going;
  });
}

async function deleteIdle(tx: Transaction, going: readonly string[]): Promise<void> {
  for (const events of byUuid) {
    const [owner, key] = events === 'task_events' ? ['tasks', 'task_id'] : ['runs', 'run_id'];
    await tx.run(
      `delete from ${events} e using ${owner} o where o.thread_id = any($1::uuid[]) and e.${key} = o.${key}`,
      [going],
    );
  }
  for (const table of ['tasks', 'contexts', 'runs', 'threads'])
    await tx.run(`delete from ${table} where thread_id = any($1::uuid[])`, [going]);
  for (const table of ['checkpoint_writes', 'checkpoint_blobs', 'checkpoints'])
    await tx.run(`delete from ${table} where thread_id = any($1::text[])`, [going]);
}

/**
 * Removes all but the newest state of a thread, unless a run of it has not ended. Kept are the newest checkpoint of the
 * graph and of each subgraph that has a memory of its own or is interrupted in it; of channels that are stored as
 * differences also the checkpoints since their last snapshot.
 */
export async function keepLatest(
  db: Database,
  { thread_id, epoch }: { readonly thread_id: string; readonly epoch: number },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await holdEpoch(tx, epoch);
    const idle = await tx.run(
      `select from threads t where t.thread_id = $1
         and t.thread_id not in (select r.thread_id from queue q join runs r using (run_id)) for update`,
      [thread_id],
    );
    if (idle === 0) return false;
    await tx.run(
      `with recursive newest as (
         select distinct on (checkpoint_ns) * from checkpoints where thread_id = $1
         order by checkpoint_ns, checkpoint_id desc
       ), kept as (
         select n.checkpoint_ns, n.checkpoint_id, n.parent_checkpoint_id, n.checkpoint, n.metadata from newest n
         where position(':' in n.checkpoint_ns) = 0
           or n.metadata -> 'parents' ->> '' = (select checkpoint_id from newest where checkpoint_ns = '')
         union all
         select p.checkpoint_ns, p.checkpoint_id, p.parent_checkpoint_id, p.checkpoint, p.metadata
         from kept k join checkpoints p on p.thread_id = $1 and p.checkpoint_ns = k.checkpoint_ns and p.checkpoint_id = k.parent_checkpoint_id
         where k.metadata ? 'counters_since_delta_snapshot'
       ), write as (
         delete from checkpoint_writes w where w.thread_id = $1 and not exists (
           select from kept k where k.checkpoint_ns = w.checkpoint_ns and (k.checkpoint_id = w.checkpoint_id
             or (w.channel = '__pregel_tasks' and k.parent_checkpoint_id = w.checkpoint_id and coalesce((k.checkpoint ->> 'v')::numeric, 0) < 4)))
       ), blob as (
         delete from checkpoint_blobs b where b.thread_id = $1 and not exists (
           select from kept k where k.checkpoint_ns = b.checkpoint_ns and k.checkpoint -> 'channel_versions' ->> b.channel = b.version)
       )
       delete from checkpoints c where c.thread_id = $1 and not exists (
         select from kept k where k.checkpoint_ns = c.checkpoint_ns and k.checkpoint_id = c.checkpoint_id)`,
      [thread_id],
    );
    await tx.run('update threads set pruned_at = now() where thread_id = $1', [thread_id]);
    return true;
  });
}
