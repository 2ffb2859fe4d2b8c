import type { Queryable } from '@roadstead/postgres';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { DAY_MS, type PartitionKey, weekOf } from '../partitions/week-rules.ts';
import type { Cursor } from './cursor-rules.ts';
import type { RunSearch } from './run-query-rules.ts';
import { outlineColumnNames, type RunOutline, type RunRow } from '../records/run-row.ts';
import {
  runConditionSql,
  besideEachRun,
  besideRuns,
  cursorSql,
  filterSql,
  foundColumns,
  isLive,
  narrowingSql,
  ofLiveSession,
  orderSql,
  untilSql,
} from './run-sql-store.ts';
import { instantText, outlineColumns } from '../records/run-store.ts';
import type { RunKey } from '../values/keys.ts';

/** Finds runs. Runs of a deleted project, or of a trace that is being deleted, count as gone. */

export type FoundRun = RunRow & { readonly received_at: string };

/** Probes the newest partitions first: most runs that are asked for by id are young. */
export async function findRun(
  db: Queryable,
  { workspace_id, run_id, now_ms }: RunKey & { readonly now_ms: number },
): Promise<FoundRun | undefined> {
  const recent = weekOf(now_ms - 7 * DAY_MS);
  for (const weeks of [`r.week >= $3`, `r.week < $3`]) {
    const [row] = await db.query<FoundRun>(
      `select ${foundColumns} from traces.runs r
       where r.workspace_id = $1 and r.run_id = $2 and ${weeks} and ${ofLiveSession} order by r.week desc limit 1`,
      [workspace_id, run_id, recent],
    );
    if (row !== undefined) return row;
  }
  return undefined;
}

/** A search, and its workspace. */
export interface SearchOf {
  readonly workspace_id: string;
  readonly search: RunSearch;
}

/** Runs by their ids, of one trace, or of examples; one more than a page where a next page exists. */
export async function findNamedRuns(
  db: Queryable,
  of: SearchOf,
  { trace }: { readonly trace?: TracePartition } = {},
): Promise<FoundRun[]> {
  const values = new SqlValues([of.workspace_id]);
  const order = orderSql(of.search, { limit: of.search.limit + 1 });
  // Instants are written as texts for the rows of the page alone, not for all that are put in order.
  return db.query<FoundRun>(
    `select ${foundColumns} from (select r.* ${namedRunsSql(of, trace, values)} ${order}) r ${order}`,
    values.values,
  );
}

/** Runs of a trace as outlines; one more than a page where a next page exists. */
export async function findOutlines(
  db: Queryable,
  of: SearchOf,
  trace: TracePartition,
): Promise<RunOutline[]> {
  const values = new SqlValues([of.workspace_id]);
  const order = orderSql(of.search, { limit: of.search.limit + 1 });
  const columns = outlineColumnNames.map((name) => `r.${name}`).join(', ');
  return db.query<RunOutline>(
    `select ${outlineColumns} from (select ${columns} ${namedRunsSql(of, trace, values)} ${order}) r ${order}`,
    values.values,
  );
}

/** The ids of all runs of a trace that pass, in order. */
export async function listTraceRunIds(db: Queryable, of: SearchOf, trace: TracePartition): Promise<string[]> {
  const values = new SqlValues([of.workspace_id]);
  const rows = await db.query<{ run_id: string }>(
    `select r.run_id ${namedRunsSql(of, trace, values)} ${orderSql(of.search)}`,
    values.values,
  );
  return rows.map(({ run_id }) => run_id);
}

/** A trace, and where its runs are. */
export type TracePartition = PartitionKey & { readonly trace_id: string };

function namedRunsSql({ search }: SearchOf, trace: TracePartition | undefined, values: SqlValues): string {
  const { by, filter } = search;
  const where = ['r.workspace_id = $1', ...filterSql(filter, values), ...cursorSql(search, values)];
  if (by.kind === 'ids') where.push(`r.run_id = any (${values.add(by.ids, 'uuid[]')})`);
  if (by.kind === 'ids' && filter.trace_id !== undefined)
    where.push(`r.trace_id = ${values.add(filter.trace_id, 'uuid')}`);
  if (trace !== undefined)
    where.push(`r.tier = ${values.add(trace.tier, 'text')}`, `r.week = ${values.add(trace.week, 'date')}`);
  // Ids are looked up one by one; by its trace each of them would be looked for among all runs of it.
  if (trace !== undefined && by.kind !== 'ids')
    where.push(`r.trace_id = ${values.add(trace.trace_id, 'uuid')}`);
  where.push(...runConditionSql(search.asked, values), ofLiveSession);
  return `from traces.runs r ${besideRuns(search.asked)} where ${where.join(' and ')}`;
}

/** The range that a search of projects reads: from the cursor of the search on. */
export interface Reach {
  readonly session_ids: readonly string[];
  /** The last place that is examined. */
  readonly until?: Cursor | undefined;
}

/** Runs of projects in the order of their index, each project by itself; the pages are then merged. */
export async function findSessionRuns(
  db: Queryable,
  { workspace_id, search }: SearchOf,
  { session_ids, until }: Reach,
): Promise<FoundRun[]> {
  const values = new SqlValues([workspace_id]);
  const { asked } = search;
  const where = ['r.session_id = s.id', 'r.workspace_id = $1', ...narrowingSql(search.filter, values)];
  where.push(...cursorSql(search, values), ...untilSql({ search, until }, values), isLive);
  where.push(...runConditionSql(asked, values));
  const order = orderSql(search, { limit: search.limit + 1 });
  return db.query<FoundRun>(
    `select ${foundColumns} from traces.sessions s cross join lateral (
       select r.* from traces.runs r ${besideEachRun(asked)} where ${where.join(' and ')} ${order}
     ) r
     where s.workspace_id = $1 and s.id = any (${values.add(session_ids, 'uuid[]')}) and s.deleted_at is null ${order}`,
    values.values,
  );
}

/** The ends of a chunk: so many runs from the cursor on, without any condition. */
export interface RunChunk {
  readonly first: Cursor;
  /** The last place; undefined where no more runs follow. */
  readonly last: Cursor | undefined;
}

/** Reads the index only. */
export async function findChunk(
  db: Queryable,
  { workspace_id, search }: SearchOf,
  { session_ids, count }: { readonly session_ids: readonly string[]; readonly count: number },
): Promise<RunChunk | undefined> {
  const { has_error, is_root, min_start_time, max_start_time } = search.filter;
  const values = new SqlValues([workspace_id]);
  const where = ['r.session_id = s.id', ...cursorSql(search, values)];
  where.push(...filterSql({ has_error, is_root, min_start_time, max_start_time }, values));
  const order = orderSql(search, { limit: count });
  const [first, last] = await db.query<Cursor>(
    `select ${instantText('r.start_time')} as start_time, r.run_id from (
       select r.*, row_number() over (${orderSql(search)}) as place, count(*) over () as places from (
         select r.* from traces.sessions s cross join lateral (
           select r.start_time, r.run_id from traces.runs r where ${where.join(' and ')} ${order}
         ) r
         where s.workspace_id = $1 and s.id = any (${values.add(session_ids, 'uuid[]')}) ${order}
       ) r
     ) r where place = 1 or place = ${count} order by place`,
    values.values,
  );
  return first && { first, last };
}
