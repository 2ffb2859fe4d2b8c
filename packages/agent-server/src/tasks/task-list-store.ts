import type { Database } from '@roadstead/postgres';
import { readJson } from '../json/json-text.ts';
import type { EarlierQuery, EarlierTasks, Owner, TaskPage, TaskQuery } from './task-engine.ts';
import { threadWithin } from './task-store.ts';
import type { Task } from './task.ts';

/**
 * Pages of tasks, by the time of their status. Counting reads an index alone, and rows are read for a page only. The
 * metadata of threads decides what a caller may see: where few threads match, tasks are found by them; where many do,
 * tasks are checked in the order of the page, and counted among the newest only.
 */

/** The most text of clients and agents that a page may hold; one task may be larger alone. */
const MAX_PAGE_LENGTH = 8 * 1024 * 1024;
/** The bytes that are read at once, as stored: compressed. */
const BATCH_BYTES = 262_144;
/** The most threads that count as few. */
const FEW_THREADS = 2000;
/** How many of the newest tasks are counted where each thread must be checked. */
const MAX_LOOKED_AT = 5000;

export async function listTasks(
  db: Database,
  { owner, query }: { readonly owner: Owner; readonly query: TaskQuery },
): Promise<TaskPage> {
  const asked = await filterOf(db, owner, query);
  const total = await countTasks(db, asked);
  if (total === 0 && asked.within === undefined) return { tasks: [], total, has_more: false };
  const found = await findPage(db, asked, query);
  return { total, ...(await readPage(db, found, { ...query, max_length: MAX_PAGE_LENGTH })) };
}

/** The most tasks that a list of ids may name. */
const MAX_EARLIER = 10_000;

export async function listEarlier(
  db: Database,
  { owner, query }: { readonly owner: Owner; readonly query: EarlierQuery },
): Promise<EarlierTasks> {
  const { context_id, before, max_length } = query;
  const whole = { limit: MAX_EARLIER, with_history: true, with_artifacts: true };
  const filter = await filterOf(db, owner, { ...whole, context_id });
  narrow(filter, before, (task_id) => `task_id < ${task_id}::uuid`);
  const found = await findPage(db, filter, whole, 'task_id desc');
  return readPage(db, found, { ...whole, max_length });
}

// oxlint-disable-next-line roadstead/two-positional -- where, which and how much of them
async function readPage(
  db: Database,
  found: readonly TaskSize[],
  query: Pick<TaskQuery, 'limit' | 'with_history' | 'with_artifacts'> & Pick<EarlierQuery, 'max_length'>,
): Promise<EarlierTasks> {
  const tasks: Task[] = [];
  let length = 0;
  for (const batch of batchesOf(found.slice(0, query.limit))) {
    for (const row of await readRows(db, batch, query)) {
      length += row.history.length + row.artifacts.length;
      if (tasks.length > 0 && length > query.max_length) return { tasks, has_more: true };
      tasks.push(await taskOf(row));
    }
  }
  return { tasks, has_more: found.length > tasks.length };
}

interface Filter {
  readonly conditions: string[];
  readonly values: unknown[];
  /** The JSON that the metadata of their threads must contain, where each has to be checked. */
  readonly within?: string;
}

// oxlint-disable-next-line roadstead/two-positional -- where, whose and which
async function filterOf(
  db: Database,
  { principal, assistant_id, within }: Owner,
  { context_id, state, since }: TaskQuery,
): Promise<Filter> {
  const filter: Filter = {
    conditions: ['principal = $1', 'assistant_id = $2'],
    values: [principal, assistant_id],
  };
  if (context_id !== undefined) narrow(filter, context_id, (value) => `context_id = ${value}`);
  if (state !== undefined) narrow(filter, state, (value) => `state = ${value}`);
  if (since !== undefined) narrow(filter, since, (value) => `status_at >= ${value}::timestamptz`);
  if (within === undefined || Object.keys(within).length === 0) return filter;
  const wanted = JSON.stringify(within);
  // A context has few threads.
  const threads = context_id === undefined ? await findFewThreads(db, wanted) : undefined;
  if (threads === undefined) return { ...filter, within: wanted };
  narrow(filter, threads, (ids) => `thread_id = any(${ids}::uuid[])`);
  return filter;
}

/** Undefined where they are many. */
async function findFewThreads(db: Database, wanted: string): Promise<string[] | undefined> {
  const found = await db.query<{ thread_id: string }>(
    `select thread_id from threads where metadata @> $1::text::jsonb and not temporary limit ${FEW_THREADS + 1}`,
    [wanted],
  );
  return found.length > FEW_THREADS ? undefined : found.map(({ thread_id }) => thread_id);
}

async function countTasks(db: Database, { conditions, values, within }: Filter): Promise<number> {
  const where = conditions.join(' and ');
  const { total } =
    within === undefined
      ? await db.one<{ total: number }>(`select count(*)::integer as total from tasks where ${where}`, values)
      : await db.one<{ total: number }>(
          `select count(*)::integer as total from
             (select thread_id from tasks where ${where} order by status_at desc limit ${MAX_LOOKED_AT}) as tasks
           where ${threadWithin(`$${values.length + 1}`)}`,
          [...values, within],
        );
  return total;
}

// oxlint-disable-next-line roadstead/two-positional -- a filter, a value and what is asked of it
function narrow({ conditions, values }: Filter, value: unknown, condition: (place: string) => string): void {
  conditions.push(condition(`$${values.push(value)}`));
}

interface TaskSize {
  readonly task_id: string;
  readonly bytes: number;
}

/** The ids of a page in its order, plus one where there are more. */
// oxlint-disable-next-line roadstead/two-positional -- where, which and how many
async function findPage(
  db: Database,
  { conditions, values, within }: Filter,
  { after, limit, with_history, with_artifacts }: TaskQuery,
  order: 'status_at desc, task_id' | 'task_id desc' = 'status_at desc, task_id',
): Promise<TaskSize[]> {
  const page: Filter = { conditions: [...conditions], values: [...values] };
  if (after !== undefined) {
    narrow(page, after.at, (at) => `status_at <= ${at}::timestamptz`);
    const at = `$${page.values.length}::timestamptz`;
    narrow(page, after.task_id, (task_id) => `(status_at < ${at} or task_id > ${task_id}::uuid)`);
  }
  if (within !== undefined) narrow(page, within, threadWithin);
  const sizes = [
    ...(with_history ? ['pg_column_size(history)'] : []),
    ...(with_artifacts ? ['pg_column_size(artifacts)'] : []),
    'pg_column_size(status)',
  ];
  return db.query<TaskSize>(
    `with page as materialized (
       select task_id, status_at from tasks where ${page.conditions.join(' and ')}
       order by ${order} limit ${limit + 1}
     )
     select task_id, ${sizes.join(' + ')} as bytes from page join tasks using (task_id)
     order by ${order.replace('status_at', 'page.status_at')}`,
    page.values,
  );
}

function* batchesOf(found: readonly TaskSize[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const one of found) {
    if (batch.length > 0 && bytes + one.bytes > BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(one.task_id);
    bytes += one.bytes;
  }
  if (batch.length > 0) yield batch;
}

interface Row extends Pick<Task, 'id' | 'context_id' | 'assistant_id' | 'seq'> {
  readonly status: string;
  readonly history: string;
  readonly artifacts: string;
}

// oxlint-disable-next-line roadstead/two-positional -- where, which and what of them
async function readRows(
  db: Database,
  task_ids: readonly string[],
  { with_history, with_artifacts }: Pick<TaskQuery, 'with_history' | 'with_artifacts'>,
): Promise<Row[]> {
  return db.query<Row>(
    `select t.task_id as id, t.context_id, t.assistant_id, t.seq, t.status::text,
       ${with_history ? 't.history::text' : `'[]'`} as history, ${with_artifacts ? 't.artifacts::text' : `'[]'`} as artifacts
     from unnest($1::uuid[]) with ordinality as page(task_id, place) join tasks t using (task_id) order by page.place`,
    [task_ids],
  );
}

async function taskOf({ status, history, artifacts, ...row }: Row): Promise<Task> {
  return {
    ...row,
    status: await readJson(status),
    history: await readJson(history),
    artifacts: await readJson(artifacts),
  };
}
