import type { Queryable } from '@roadstead/kit';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { DAY_MS, type PartitionKey, weekOf } from '../partitions/week-rules.ts';
import type { RunSearch } from './run-query-rules.ts';
import type { RunRow } from './run-row.ts';
import {
  askedSql,
  besideRuns,
  cursorSql,
  filterSql,
  foundColumns,
  isLive,
  ofLiveSession,
  orderSql,
} from './run-sql-store.ts';

/** Finds runs. Those of a deleted project, and of a trace that is being deleted, are not there any more. */

export type FoundRun = RunRow & { readonly received_at: string };

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
      `select ${foundColumns} from traces.runs r
       where r.workspace_id = $1 and r.run_id = $2 and ${weeks} and ${ofLiveSession} order by r.week desc limit 1`,
      [workspace_id, run_id, recent],
    );
    if (row !== undefined) return row;
  }
  return undefined;
}

/** What is searched, in whose workspace. */
export interface SearchOf {
  readonly workspace_id: string;
  readonly search: RunSearch;
}

/** Runs by their ids, of one trace, or of examples; one more than a page where there is a next one. */
export async function findNamedRuns(
  db: Queryable,
  { workspace_id, search }: SearchOf,
  { trace }: { readonly trace?: PartitionKey & { readonly trace_id: string } } = {},
): Promise<FoundRun[]> {
  const { by, filter } = search;
  const values = new SqlValues([workspace_id]);
  const where = ['r.workspace_id = $1', ...filterSql(filter, values), ...cursorSql(search, values)];
  if (by.kind === 'ids') where.push(`r.run_id = any (${values.add(by.ids, 'uuid[]')})`);
  if (by.kind === 'ids' && filter.trace_id !== undefined)
    where.push(`r.trace_id = ${values.add(filter.trace_id, 'uuid')}`);
  if (trace !== undefined) {
    where.push(`r.tier = ${values.add(trace.tier, 'text')}`, `r.week = ${values.add(trace.week, 'date')}`);
    where.push(`r.trace_id = ${values.add(trace.trace_id, 'uuid')}`);
  }
  where.push(...askedSql(search.asked, values), ofLiveSession);
  return db.query<FoundRun>(
    `select ${foundColumns} from traces.runs r ${besideRuns(search.asked)}
     where ${where.join(' and ')} ${orderSql(search, { limit: search.limit + 1 })}`,
    values.values,
  );
}

/**
 * Runs of projects in the order of their index, each project by itself; then the pages are merged. With `scanned`, no more
 * than so many runs are looked at.
 */
export async function findSessionRuns(
  db: Queryable,
  { workspace_id, search }: SearchOf,
  {
    session_ids,
    scanned,
  }: { readonly session_ids: readonly string[]; readonly scanned?: number | undefined },
): Promise<FoundRun[]> {
  const values = new SqlValues([workspace_id]);
  const { asked } = search;
  const inner = ['r.session_id = s.id', 'r.workspace_id = $1', ...filterSql(search.filter, values)];
  inner.push(...cursorSql(search, values), isLive);
  const outer = askedSql(asked, values);
  const is_whole = scanned === undefined;
  if (is_whole) inner.push(...outer);
  const order = orderSql(search, { limit: scanned ?? search.limit + 1 });
  const runs = `traces.sessions s cross join lateral (
      select r.* from traces.runs r ${is_whole ? besideRuns(asked) : ''} where ${inner.join(' and ')} ${order}
    ) r
    where s.workspace_id = $1 and s.id = any (${values.add(session_ids, 'uuid[]')}) and s.deleted_at is null ${order}`;
  return db.query<FoundRun>(
    is_whole
      ? `select ${foundColumns} from ${runs}`
      : `select ${foundColumns} from (select r.* from ${runs}) r ${besideRuns(asked)}
         where ${['true', ...outer].join(' and ')} ${orderSql(search, { limit: search.limit + 1 })}`,
    values.values,
  );
}

/** Whether projects have so many runs and more, whatever is asked of them. */
export async function hasSessionRuns(
  db: Queryable,
  { workspace_id, search }: SearchOf,
  { session_ids, count }: { readonly session_ids: readonly string[]; readonly count: number },
): Promise<boolean> {
  const values = new SqlValues([workspace_id]);
  const where = ['r.workspace_id = $1', `r.session_id = any (${values.add(session_ids, 'uuid[]')})`];
  where.push(...filterSql(search.filter, values), ...cursorSql(search, values));
  const rows = await db.query(
    `select from traces.runs r where ${where.join(' and ')} offset ${count} limit 1`,
    values.values,
  );
  return rows.length > 0;
}
