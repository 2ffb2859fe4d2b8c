import { Problem } from '@roadstead/kit';
import { isTooSlow, type Database, type Queryable, type Transaction } from '@roadstead/postgres';
import type { Lookup } from '../filters/filter-lookup-rules.ts';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { termOf, termsBetween } from '../search/term-rules.ts';
import type { Cursor } from './cursor-rules.ts';
import { readingOrder } from './run-query-rules.ts';
import type { FoundRun, Reach, SearchOf } from './run-query-store.ts';
import {
  runConditionSql,
  besideRuns,
  cursorSql,
  filterSql,
  foundColumns,
  ofLiveSession,
  orderSql,
  untilSql,
  windowSql,
} from './run-sql-store.ts';

/** Finds runs of projects by the inverted indexes over search rows. */

/** The questions that the indexes can answer about the run itself, and about runs of its trace. */
export interface Lookups {
  readonly run: Lookup | undefined;
  readonly traces: readonly Lookup[];
}

interface LookupScope extends Reach {
  readonly lookups: Lookups;
}

/** @param candidates how many of the runs that the index names are examined, the first ones. */
export async function findIndexedRuns(
  db: Queryable,
  { workspace_id, search }: SearchOf,
  { session_ids, until, lookups, candidates }: LookupScope & { readonly candidates?: number | undefined },
): Promise<FoundRun[]> {
  const values = new SqlValues([workspace_id]);
  const order = orderSql(search, { limit: search.limit + 1 });
  const { run, traces } = lookups;
  const outer = ['r.workspace_id = $1', `r.session_id = any (${values.add(session_ids, 'uuid[]')})`];
  outer.push(...filterSql(search.filter, values), ...runConditionSql(search.asked, values), ofLiveSession);
  outer.push(...cursorSql(search, values), ...untilSql({ search, until }, values));
  if (run === undefined) {
    outer.push(...traces.map((one) => `r.trace_id in (${tracesSql(one, values)})`));
    return db.query<FoundRun>(
      `select ${foundColumns} from traces.runs r ${besideRuns(search.asked)} where ${outer.join(' and ')} ${order}`,
      values.values,
    );
  }
  const times = timesOf(search, until);
  const inner = ['x.workspace_id = $1', ...indexSql(run, { session_ids, times, values })];
  inner.push(
    ...windowSql(search.filter, values, { alias: 'x' }),
    ...cursorSql(search, values, { alias: 'x' }),
    ...untilSql({ search, until }, values, { alias: 'x' }),
  );
  inner.push(...traces.map((one) => `x.trace_id in (${tracesSql(one, values)})`));
  const first = candidates === undefined ? '' : orderSql(search, { alias: 'x', limit: candidates });
  return db.query<FoundRun>(
    // Rows are looked up one after the other, even where Postgres expects few to pass: otherwise it may read all runs
    // of the project.
    `with x as materialized (select x.* from traces.search x where ${inner.join(' and ')} ${first})
     select ${foundColumns} from x cross join lateral (
       select * from traces.runs r where r.run_id = x.run_id and r.workspace_id = x.workspace_id and r.tier = x.tier
         and r.week = x.week offset 0
     ) r where ${outer.join(' and ')} ${order}`,
    values.values,
  );
}

/** Whether the index names so many candidates and more. */
export async function hasCandidates(
  db: Queryable,
  { workspace_id, search }: SearchOf,
  {
    session_ids,
    lookup,
    count,
  }: { readonly session_ids: readonly string[]; readonly lookup: Lookup; readonly count: number },
): Promise<boolean> {
  const values = new SqlValues([workspace_id]);
  const where = ['x.workspace_id = $1', ...indexSql(lookup, { session_ids, times: timesOf(search), values })];
  where.push(
    ...windowSql(search.filter, values, { alias: 'x' }),
    ...cursorSql(search, values, { alias: 'x' }),
  );
  const rows = await db.query(
    `select from traces.search x where ${where.join(' and ')} offset ${count} limit 1`,
    values.values,
  );
  return rows.length > 0;
}

/** The instants between which a search reads, as far as they are known. */
interface Times {
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
}

function timesOf(search: SearchOf['search'], until?: Cursor): Times {
  const { min_start_time, max_start_time } = search.filter;
  const [from, to] =
    readingOrder(search) === 'asc' ? [search.cursor, until] : ([until, search.cursor] as const);
  return {
    min_start_time: from?.start_time ?? min_start_time,
    max_start_time: to?.start_time ?? max_start_time,
  };
}

/** The condition on search rows `x` of projects that the indexes name. */
export function indexSql(
  { terms, words }: Lookup,
  {
    session_ids,
    times: { min_start_time: min, max_start_time: max },
    values,
  }: { readonly session_ids: readonly string[]; readonly times: Times; readonly values: SqlValues },
): string[] {
  const projects = session_ids.map((id) => termOf('project', id));
  const units = min === undefined || max === undefined ? undefined : termsBetween(min, max);
  return lookupSql(
    { terms: [projects, ...(units === undefined ? [] : [units]), ...terms], words },
    values,
    'x',
  );
}

function lookupSql({ terms, words }: Lookup, values: SqlValues, alias: 'x' | 'y'): string[] {
  return [
    ...terms.map((some) => {
      const list = values.add(some, 'bigint[]');
      return `${alias}.terms ${some.length === 1 ? '@>' : '&&'} ${list}`;
    }),
    ...words.map((query) => `${alias}.words @@ ${values.add(query, 'text')}::tsquery`),
  ];
}

/** The traces with a run that the index names, in any project. */
const tracesSql = (lookup: Lookup, values: SqlValues): string =>
  `select y.trace_id from traces.search y where y.workspace_id = $1 and ${lookupSql(lookup, values, 'y').join(' and ')}`;

const MAX_S = 10;

/**
 * Reads in a transaction in which all statements see the same state and none takes long. Compiling statements would
 * take longer than most of them run; and rows that an index names must be checked one by one, for which the default
 * memory is too small.
 * @throws Problem where one took too long.
 */
export async function inLimitedTime<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(async (tx) => {
      await tx.run(
        `set transaction isolation level repeatable read, read only;
         set local statement_timeout = '${MAX_S}s'; set local jit = off; set local work_mem = '32MB'`,
      );
      return work(tx);
    });
  } catch (error) {
    if (!isTooSlow(error)) throw error;
    throw new Problem('invalid', `The query took longer than ${MAX_S} seconds and was cancelled.`, {
      hint: 'Narrow it down by start_time, or ask for what is indexed: tags, metadata, names and words.',
      cause: error,
    });
  }
}
