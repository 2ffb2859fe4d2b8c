import { joinedSearch, runSource, searchOfEach } from '../filters/run-filter-store.ts';
import { conditionSql, type SqlValues } from '../filters/filter-sql-store.ts';
import type { Condition } from '../filters/filter-conditions.ts';
import type { Cursor } from './cursor-rules.ts';
import type { RunFilter } from './narrowing-rules.ts';
import { type RunConditions, asksSearchRows, readingOrder, type RunSearch } from './run-query-rules.ts';
import { instantText, runColumns } from '../records/run-store.ts';
import { isDeleted } from '../records/trace-store.ts';

/** Parts of statements over runs; `r` is the run, `x` its search row. */

/** The columns of `FoundRun`. */
export const foundColumns = `${runColumns}, ${instantText('r.received_at')} as received_at`;

/** Traces that are being deleted are gone for readers. */
export const isLive = `not ${isDeleted}`;

/** The condition that the run's project was not deleted. */
export const ofLiveSession = `exists (select from traces.sessions s
  where s.workspace_id = r.workspace_id and s.id = r.session_id and s.deleted_at is null) and ${isLive}`;

export function filterSql(filter: RunFilter, values: SqlValues): string[] {
  const { session_ids } = filter;
  return [
    ...(session_ids === undefined ? [] : [`r.session_id = any (${values.add(session_ids, 'uuid[]')})`]),
    ...narrowingSql(filter, values),
  ];
}

/** The same conditions where the projects are known already. */
export function narrowingSql(filter: RunFilter, values: SqlValues): string[] {
  const { parent_run_id, reference_example_ids: examples, has_error, is_root, thread_id } = filter;
  return [
    ...(parent_run_id === undefined ? [] : [`r.parent_run_id = ${values.add(parent_run_id, 'uuid')}`]),
    ...(examples === undefined ? [] : [`r.reference_example_id = any (${values.add(examples, 'uuid[]')})`]),
    // Conditions are written out, so that Postgres recognises the partial indexes on them.
    ...(has_error === undefined ? [] : [has_error ? 'r.has_error' : 'not r.has_error']),
    ...(is_root === undefined ? [] : [is_root ? 'r.is_root' : 'not r.is_root']),
    ...(thread_id === undefined ? [] : [`r.thread_id = ${values.add(thread_id, 'text')}`]),
    ...windowSql(filter, values),
  ];
}

/** The choice between the two. */
interface Of {
  readonly alias?: 'r' | 'x';
}

/** The span of time in which runs of the rest of a search began; over runs or search rows. */
export function windowSql(
  { min_start_time: min, max_start_time: max }: RunFilter,
  values: SqlValues,
  { alias = 'r' }: Of = {},
): string[] {
  return [
    ...(min === undefined ? [] : [`${alias}.start_time >= ${values.add(min, 'timestamptz')}`]),
    ...(max === undefined ? [] : [`${alias}.start_time <= ${values.add(max, 'timestamptz')}`]),
  ];
}

export function cursorSql(
  search: Pick<RunSearch, 'order' | 'cursor'>,
  values: SqlValues,
  { alias = 'r' }: Of = {},
): string[] {
  const { cursor } = search;
  if (cursor === undefined) return [];
  const sign = readingOrder(search) === 'asc' ? '>' : '<';
  return [placeSql({ alias, sign, place: cursor }, values)];
}

function placeSql(
  { alias, sign, place }: { readonly alias: string; readonly sign: string; readonly place: Cursor },
  values: SqlValues,
): string {
  const at = `${values.add(place.start_time, 'timestamptz')}, ${values.add(place.run_id, 'uuid')}`;
  return `(${alias}.start_time, ${alias}.run_id) ${sign} (${at})`;
}

/** The rows up to the last examined place, inclusively. */
export function untilSql(
  {
    search,
    until,
  }: { readonly search: Pick<RunSearch, 'order' | 'cursor'>; readonly until: Cursor | undefined },
  values: SqlValues,
  { alias = 'r' }: Of = {},
): string[] {
  if (until === undefined) return [];
  const sign = readingOrder(search) === 'asc' ? '<=' : '>=';
  return [placeSql({ alias, sign, place: until }, values)];
}

/** The order of reading, and the number of rows. */
export function orderSql(
  search: Pick<RunSearch, 'order' | 'cursor'>,
  { alias = 'r', limit }: Of & { readonly limit?: number } = {},
): string {
  const order = readingOrder(search);
  const rows = limit === undefined ? '' : ` limit ${limit}`;
  return `order by ${alias}.start_time ${order}, ${alias}.run_id ${order}${rows}`;
}

/** The joins that `runConditionSql` needs beside the runs. */
export const besideRuns = (asked: RunConditions): string => (asksOwnRow(asked) ? joinedSearch(own) : '');

/** The same where runs are examined one by one. */
export const besideEachRun = (asked: RunConditions): string => (asksOwnRow(asked) ? searchOfEach(own) : '');

const own = { runs: 'r', search: 'x' } as const;
const asksOwnRow = (asked: RunConditions) => asksSearchRows({ ...asked, root: undefined, tree: undefined });

/** The conditions of the filter language on a run, on the root of its trace and on its whole trace. */
export function runConditionSql({ run, root, tree }: RunConditions, values: SqlValues): string[] {
  const ofRun = run && conditionSql(run, { source: runSource(own), values });
  return [
    ...(ofRun === undefined ? [] : [ofRun]),
    ...(root === undefined ? [] : [traceSql(root, { values, only_root: true })]),
    ...(tree === undefined ? [] : [traceSql(tree, { values, only_root: false })]),
  ];
}

function traceSql(
  condition: Condition,
  { values, only_root }: { readonly values: SqlValues; readonly only_root: boolean },
): string {
  const of = { runs: 'o', search: 'y' };
  const beside = asksSearchRows({ run: condition, parsed_query: null }) ? searchOfEach(of) : '';
  // Traces are checked one by one, even where Postgres expects few roots to pass.
  return `exists (select from (
      select * from traces.runs o where o.trace_id = r.trace_id and o.workspace_id = r.workspace_id and o.tier = r.tier
        and o.week = r.week ${only_root ? 'and o.is_root' : ''} offset 0
    ) o ${beside} where ${conditionSql(condition, { source: runSource(of), values })})`;
}
