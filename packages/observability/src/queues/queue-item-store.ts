import { Problem } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { ItemRow, QueueId } from './queue-row.ts';
import type { InWorkspace, SessionKeys, ThreadKey } from '../values/keys.ts';

/** The items of annotation queues: runs and threads, each at most once in a queue. */

export const itemColumns = (item: string): string =>
  `${[
    'workspace_id',
    'id',
    'queue_id',
    'item_type',
    'run_id',
    'thread_id',
    'session_id',
    'source_proposed_example_id',
  ]
    .map((name) => `${item}.${name}`)
    .join(', ')}, ${['start_time', 'added_at', 'last_reviewed_time']
    .map((name) => `${instantText(`${item}.${name}`)} as ${name}`)
    .join(', ')}`;
const read = itemColumns('i');

const noSuch = () => new Problem('not_found', 'There is no such entry in the annotation queue.');

/** Inserts items. @returns them in this order, including existing ones, which keep their place. */
export async function insertItems(tx: Transaction, items: readonly ItemRow[]): Promise<ItemRow[]> {
  const values = JSON.stringify(items);
  await tx.run(
    `insert into traces.annotation_queue_items (workspace_id, id, queue_id, item_type, run_id, thread_id, session_id,
       start_time, source_proposed_example_id, added_at)
     select workspace_id, id, queue_id, item_type, run_id, thread_id, session_id, start_time,
       source_proposed_example_id, added_at from ${recordset} order by run_id, thread_id on conflict do nothing`,
    [values],
  );
  return tx.query<ItemRow>(
    `select ${read} from ${recordset} join traces.annotation_queue_items i
       on i.queue_id = j.queue_id and i.workspace_id = j.workspace_id
       and (i.run_id = j.run_id or (i.thread_id = j.thread_id and i.session_id = j.session_id))
     order by j.added_at, j.id`,
    [values],
  );
}
const recordset = `json_to_recordset($1::text::json) as j(workspace_id uuid, id uuid, queue_id uuid, item_type text,
  run_id uuid, thread_id text, session_id uuid, start_time timestamptz, source_proposed_example_id uuid,
  added_at timestamptz)`;

/**
 * Finds an item by its own id or that of its run, and locks it, since its reviews follow each other.
 * @throws Problem `not_found`.
 */
export async function lockItem(
  tx: Transaction,
  { workspace_id, item_id, queue_id }: InWorkspace & { readonly item_id: string; readonly queue_id?: string },
): Promise<ItemRow> {
  const [row] = await tx.query<ItemRow>(
    `select ${read} from traces.annotation_queue_items i where i.workspace_id = $1
       and (i.id = $2 or (i.run_id = $2 and i.queue_id = $3)) and i.queue_id = coalesce($3, i.queue_id) for update`,
    [workspace_id, item_id, queue_id ?? null],
  );
  if (row === undefined) throw noSuch();
  return row;
}

/** A null field stays as it is. */
export async function updateItemTimes(
  tx: Transaction,
  { workspace_id, id }: Pick<ItemRow, 'workspace_id' | 'id'>,
  change: { readonly added_at: string | null; readonly last_reviewed_time: string | null },
): Promise<ItemRow> {
  return tx.one<ItemRow>(
    `update traces.annotation_queue_items i set added_at = coalesce($3::timestamptz, added_at),
       last_reviewed_time = coalesce($4::timestamptz, last_reviewed_time)
     where i.workspace_id = $1 and i.id = $2 returning ${read}`,
    [workspace_id, id, change.added_at, change.last_reviewed_time],
  );
}

/** @param which ids of items or of runs; where it is null, all items but `except` @returns how many were deleted. */
export async function deleteItems(
  db: Queryable,
  { workspace_id, queue_id }: QueueId,
  { which, except }: { readonly which: readonly string[] | null; readonly except: readonly string[] },
): Promise<number> {
  return db.run(
    `delete from traces.annotation_queue_items where workspace_id = $1 and queue_id = $2
       and ($3::uuid[] is null or id = any ($3::uuid[]) or run_id = any ($3::uuid[]))
       and not (id = any ($4::uuid[]) or coalesce(run_id = any ($4::uuid[]), false))`,
    [workspace_id, queue_id, which, except],
  );
}

/** Lists the newest root runs of projects. */
export async function listRootRuns(
  db: Queryable,
  { workspace_id, session_ids, limit }: SessionKeys & { readonly limit: number },
): Promise<{ readonly run_id: string; readonly session_id: string; readonly start_time: string }[]> {
  return db.query(
    `select r.run_id, r.session_id, ${instantText('r.start_time')} as start_time from unnest($2::uuid[]) s(id)
     cross join lateral (
       select r.run_id, r.session_id, r.start_time from traces.runs r
       where r.session_id = s.id and r.workspace_id = $1 and r.is_root
       order by r.start_time desc, r.run_id desc limit ${limit}
     ) r order by r.start_time, r.run_id`,
    [workspace_id, session_ids],
  );
}

/** Whether a conversation is in a project. */
export async function hasThread(
  db: Queryable,
  { workspace_id, session_id, thread_id }: ThreadKey,
): Promise<boolean> {
  const found = await db.query(
    `select from traces.runs r where r.session_id = $2 and r.thread_id = $3 and r.is_root and r.workspace_id = $1 limit 1`,
    [workspace_id, session_id, thread_id],
  );
  return found.length > 0;
}
