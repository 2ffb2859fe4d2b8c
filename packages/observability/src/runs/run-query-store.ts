import type { Queryable } from '@roadstead/kit';
import { weekOf, DAY_MS, type PartitionKey } from '../partitions/week-rules.ts';
import type { Cursor } from './cursor-rules.ts';
import type { RunFilter, RunSearch } from './run-query-rules.ts';
import type { RunRow } from './run-row.ts';
import { instantText, runColumns } from './run-store.ts';
import { findTrace, isDeleted } from './trace-store.ts';

/** Finds runs. Those of a deleted project or trace are not there any more. */

export type FoundRun = RunRow & { readonly received_at: string };

const columns = `${runColumns}, ${instantText('r.received_at')} as received_at`;
const isLive = `not ${isDeleted} and exists (select from traces.sessions s
  where s.workspace_id = r.workspace_id and s.id = r.session_id and s.deleted_at is null)`;

/** Conditions with their values, numbered on from those that are there already. */
interface Where {
  readonly conditions: string[];
  readonly values: unknown[];
}

function add(where: Where, condition: (parameter: string) => string, value: unknown): void {
  if (value === undefined) return;
  where.values.push(value);
  where.conditions.push(condition(`$${where.values.length}`));
}

/** Probes the newest partitions first: most runs that are asked for by id are young. */
export async function findRun(
  db: Queryable,
  {
    workspace_id,
    run_id,
    now_ms,
  }: { readonly workspace_id: string; readonly run_id: string; readonly now_ms: number },
): Promise<FoundRun | undefined> {
  const recent = weekOf(now_ms - 7 * DAY_MS);
  for (const weeks of [`r.week >= $3`, `r.week < $3`]) {
    const [row] = await db.query<FoundRun>(
      `select ${columns} from traces.runs r
       where r.workspace_id = $1 and r.run_id = $2 and ${weeks} and ${isLive} order by r.week desc limit 1`,
      [workspace_id, run_id, recent],
    );
    if (row !== undefined) return row;
  }
  return undefined;
}

/** One page, and one run more where there is a next page. */
export async function searchRuns(
  db: Queryable,
  search: RunSearch,
  { workspace_id, now_ms }: { readonly workspace_id: string; readonly now_ms: number },
): Promise<FoundRun[]> {
  const where: Where = { conditions: ['r.workspace_id = $1'], values: [workspace_id] };
  addFilter(where, search.filter);
  addCursor(where, search);
  const { by } = search;
  if (by.kind === 'sessions') return searchSessions(db, where, by.ids, search);
  if (by.kind === 'ids') add(where, (p) => `r.run_id = any (${p}::uuid[])`, by.ids);
  if (by.kind === 'trace' || by.kind === 'parent') {
    const trace_id =
      by.kind === 'trace'
        ? by.trace_id
        : (await findRun(db, { workspace_id, run_id: by.run_id, now_ms }))?.trace_id;
    const trace = trace_id === undefined ? undefined : await findTrace(db, { workspace_id, trace_id });
    if (trace === undefined) return [];
    addPartition(where, trace);
    add(where, (p) => `r.trace_id = ${p}`, trace.trace_id);
  }
  const { conditions, values } = where;
  return db.query<FoundRun>(
    `select ${columns} from traces.runs r where ${conditions.join(' and ')} and ${isLive} ${pageOf(search)}`,
    values,
  );
}

/** Each project by itself and in its index's order; then the pages are merged. */
async function searchSessions(
  db: Queryable,
  where: Where,
  session_ids: readonly string[],
  search: RunSearch,
): Promise<FoundRun[]> {
  where.values.push(session_ids);
  const page = pageOf(search);
  return db.query<FoundRun>(
    `select ${columns} from traces.sessions s
     cross join lateral (
       select * from traces.runs r where r.session_id = s.id and ${where.conditions.join(' and ')} and not ${isDeleted} ${page}
     ) r
     where s.workspace_id = $1 and s.id = any ($${where.values.length}::uuid[]) and s.deleted_at is null ${page}`,
    where.values,
  );
}

/** The turns of a conversation, oldest first: root runs; one more than a page where there is a next one. */
export async function listThreadRuns(
  db: Queryable,
  thread: {
    readonly workspace_id: string;
    readonly session_id: string;
    readonly thread_id: string;
    readonly limit: number;
    readonly cursor: Cursor | undefined;
  },
): Promise<FoundRun[]> {
  const where: Where = {
    conditions: ['r.workspace_id = $1', 'r.session_id = $2', 'r.thread_id = $3', 'r.is_root'],
    values: [thread.workspace_id, thread.session_id, thread.thread_id],
  };
  addCursor(where, { order: 'asc', cursor: thread.cursor });
  return db.query<FoundRun>(
    `select ${columns} from traces.runs r where ${where.conditions.join(' and ')} and not ${isDeleted}
     ${pageOf({ order: 'asc', limit: thread.limit })}`,
    where.values,
  );
}

function addFilter(where: Where, filter: RunFilter): void {
  add(where, (p) => `r.session_id = any (${p}::uuid[])`, filter.session_ids);
  add(where, (p) => `r.parent_run_id = ${p}`, filter.parent_run_id);
  add(where, (p) => `r.reference_example_id = any (${p}::uuid[])`, filter.reference_example_ids);
  add(where, (p) => `r.run_type = ${p}`, filter.run_type);
  add(where, (p) => `r.start_time >= ${p}::timestamptz`, filter.min_start_time);
  add(where, (p) => `r.start_time <= ${p}::timestamptz`, filter.max_start_time);
  // Written out, so that the partial indexes on them are seen.
  if (filter.has_error !== undefined)
    where.conditions.push(filter.has_error ? 'r.has_error' : 'not r.has_error');
  if (filter.is_root !== undefined) where.conditions.push(filter.is_root ? 'r.is_root' : 'not r.is_root');
}

function addPartition(where: Where, { tier, week }: PartitionKey): void {
  add(where, (p) => `r.tier = ${p}`, tier);
  add(where, (p) => `r.week = ${p}`, week);
}

function addCursor(where: Where, { order, cursor }: Pick<RunSearch, 'order' | 'cursor'>): void {
  if (cursor === undefined) return;
  const { values, conditions } = where;
  values.push(cursor.start_time, cursor.run_id);
  const sign = order === 'asc' ? '>' : '<';
  conditions.push(
    `(r.start_time, r.run_id) ${sign} ($${values.length - 1}::timestamptz, $${values.length}::uuid)`,
  );
}

function pageOf({ order, limit }: Pick<RunSearch, 'order' | 'limit'>): string {
  return `order by r.start_time ${order}, r.run_id ${order} limit ${limit + 1}`;
}
