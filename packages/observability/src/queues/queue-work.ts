import { Problem, uuidv7 } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import { requestExtensions } from '../retention/extension-store.ts';
import { findNamedRuns, type FoundRun } from '../queries/run-query-store.ts';
import { requireSessions } from '../session-records/session-store.ts';
import { hasThread, insertItems, listRootRuns, lockItem } from './queue-item-store.ts';
import { listItems, type Review, writeReview } from './queue-review-store.ts';
import type { ItemRow, QueueId, StagedItem, QueueViewer } from './queue-row.ts';
import { readQueue } from './queue-store.ts';
import type { InWorkspace, RowKeys, ThreadKey } from '../values/keys.ts';

interface RunSubject {
  readonly run_id: string;
  readonly session_id: string | null;
}

type ThreadSubject = Pick<ThreadKey, 'thread_id' | 'session_id'>;

/** The subject of a review: a run, or a thread of a project. */
export type ReviewSubject = { readonly source_proposed_example_id: string | null } & (
  | RunSubject
  | ThreadSubject
);

const POPULATED = 1000;

/** Adds all items, or no item at all. @throws Problem `not_found` where one of them, or the queue, does not exist. */
export async function addItems(
  tx: Transaction,
  queue: QueueId,
  {
    wanted,
    now_ms,
    extends_retention,
  }: {
    readonly wanted: readonly ReviewSubject[];
    readonly now_ms: number;
    readonly extends_retention: boolean;
  },
): Promise<ItemRow[]> {
  await readQueue(tx, queue);
  const { workspace_id } = queue;
  const ids = wanted.flatMap((one) => ('run_id' in one ? one.run_id.toLowerCase() : []));
  const runs = await runsById(tx, { workspace_id, ids });
  const items: ItemRow[] = [];
  for (const [index, one] of wanted.entries()) {
    const place = 'run_id' in one ? placeOfRun(one, runs) : await placeOfThread(tx, workspace_id, one);
    const added_at = addedAt(now_ms, index);
    const { source_proposed_example_id } = one;
    items.push({
      ...queue,
      id: uuidv7(),
      ...place,
      source_proposed_example_id,
      added_at,
      last_reviewed_time: null,
    });
  }
  const now = new Date(now_ms).toISOString();
  if (extends_retention) await requestExtensions(tx, { runs: items, now });
  return insertItems(tx, items);
}

/** The existing runs, by id. */
export async function runsById(
  db: Queryable,
  { workspace_id, ids }: RowKeys,
): Promise<Map<string, FoundRun>> {
  if (ids.length === 0) return new Map();
  const search = {
    by: { kind: 'ids', ids },
    filter: {},
    asked: { parsed_query: null },
    order: 'asc',
    limit: ids.length,
    cursor: undefined,
  } as const;
  const rows = await findNamedRuns(db, { workspace_id, search });
  return new Map(rows.map((row) => [row.run_id, row]));
}

function placeOfRun({ run_id, session_id }: RunSubject, runs: ReadonlyMap<string, FoundRun>) {
  const run = runs.get(run_id.toLowerCase());
  if (run === undefined || (session_id !== null && run.session_id !== session_id.toLowerCase()))
    throw new Problem('not_found', 'One of the runs does not exist.');
  const { start_time } = run;
  return {
    item_type: 'RUN',
    run_id: run.run_id,
    thread_id: null,
    session_id: run.session_id,
    start_time,
  } as const;
}

async function placeOfThread(
  tx: Transaction,
  workspace_id: string,
  { thread_id, session_id }: ThreadSubject,
) {
  await requireSessions(tx, { workspace_id, ids: [session_id] });
  if (!(await hasThread(tx, { workspace_id, session_id, thread_id })))
    throw new Problem('not_found', 'One of the threads does not exist.');
  return { item_type: 'THREAD', run_id: null, thread_id, session_id, start_time: null } as const;
}

/** The time at which each is added, a microsecond apart, so that they wait in the order in which they were named. */
function addedAt(now_ms: number, index: number): string {
  const at = new Date(now_ms + Math.floor(index / 1000)).toISOString().slice(0, -1);
  return `${at}${String(index % 1000).padStart(3, '0')}+00:00`;
}

/** The newest root runs of projects. @throws Problem `not_found` where one of the projects, or the queue, isn't there. */
export async function populateQueue(
  tx: Transaction,
  queue: QueueId,
  { session_ids, now_ms }: { readonly session_ids: readonly string[]; readonly now_ms: number },
): Promise<void> {
  await readQueue(tx, queue);
  const { workspace_id } = queue;
  for (const id of session_ids) await requireSessions(tx, { workspace_id, ids: [id] });
  const runs = await listRootRuns(tx, { workspace_id, session_ids, limit: POPULATED });
  const items = runs.map((run, index) => ({
    ...queue,
    ...run,
    id: uuidv7(),
    item_type: 'RUN' as const,
    thread_id: null,
    source_proposed_example_id: null,
    added_at: addedAt(now_ms, index),
    last_reviewed_time: null,
  }));
  await insertItems(tx, items);
}

/** Records a reviewer's progress with an item. @returns the item as this reviewer then sees it. */
export async function review(
  tx: Transaction,
  { workspace_id, item_id }: InWorkspace & { readonly item_id: string },
  said: Review & QueueViewer,
): Promise<StagedItem> {
  const item = await lockItem(tx, { workspace_id, item_id });
  await writeReview(tx, item, said);
  const { reviewer_id, now } = said;
  const filter = { workspace_id, queue_id: item.queue_id, item_id, reviewer_id, now };
  const [staged] = await listItems(tx, filter, { limit: 1, offset: 0 });
  if (staged === undefined) throw new Problem('internal', 'An entry left its queue while it was locked.');
  return staged;
}
