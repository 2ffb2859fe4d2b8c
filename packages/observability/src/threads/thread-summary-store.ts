import type { Queryable } from '@roadstead/postgres';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { costNames, type DetailName, detailNames, tokenNames } from '../records/run-operation.ts';
import { runConditionSql } from '../queries/run-sql-store.ts';
import { instantText } from '../records/run-store.ts';
import type { ThreadSummary, ThreadTotals } from './thread-summary.ts';
import { besideTurns, matchingSql, type ThreadScope, turnSql } from './thread-store.ts';

/** The totals of turns. Percentiles are exact; tokens and costs are those of whole traces. */

const ofTrace = `join traces.traces t on t.trace_id = r.trace_id and t.workspace_id = r.workspace_id`;
const seconds = 'extract(epoch from r.end_time - least(r.start_time, r.end_time))::float8';
const firstTokenSeconds = `extract(epoch from coalesce(t.first_token_time, r.first_token_time)
  - least(r.start_time, coalesce(t.first_token_time, r.first_token_time)))::float8`;
const percentile = (share: number, value: string) =>
  `percentile_cont(${share}) within group (order by ${value})`;

const columns = `
  count(*) as turns, count(*) filter (where r.end_time is not null) as finished, count(*) filter (where r.has_error) as errors,
  count(*) filter (where coalesce(t.first_token_time, r.first_token_time) is not null) as streamed,
  ${instantText('min(r.start_time)')} as first_start_time, ${instantText('max(r.start_time)')} as last_start_time,
  ${instantText('max(r.end_time)')} as last_end_time,
  ${percentile(0.5, seconds)} as latency_p50, ${percentile(0.99, seconds)} as latency_p99,
  ${percentile(0.5, firstTokenSeconds)} as first_token_p50, ${percentile(0.99, firstTokenSeconds)} as first_token_p99,
  ${percentile(0.5, 't.total_tokens::float8')} as median_tokens,
  ${[...tokenNames, ...costNames].map((name) => `sum(t.${name}) as ${name}`).join(', ')},
  count(coalesce(${detailNames.map((name) => `t.${name}`).join(', ')})) > 0 as is_detailed`;
type SummaryRow<T> = Omit<T, DetailName> & { readonly is_detailed: boolean };

/**
 * The totals of each thread, by its id, over those of its turns that pass all conditions. Threads are read one after
 * the other, since the turns of one are adjacent in their index.
 */
export async function readThreadSummaries(
  db: Queryable,
  scope: ThreadScope,
  { thread_ids }: { readonly thread_ids: readonly string[] },
): Promise<Map<string, ThreadSummary>> {
  if (thread_ids.length === 0) return new Map();
  const values = new SqlValues();
  const threads = `unnest(${values.add(thread_ids, 'text[]')}) u(thread_id)`;
  const where = [turnSql(scope, values), 'r.thread_id = u.thread_id'];
  where.push(...scope.asked.flatMap((asked) => runConditionSql(asked, values)));
  const runs = `from traces.runs r ${besideTurns(scope)}`;
  const turns = `${runs} ${ofTrace} where ${where.join(' and ')}`;
  const one = (columns: string, { order, only }: { readonly order: 'asc' | 'desc'; readonly only: string }) =>
    `left join lateral (select ${columns} ${runs} where ${only} and ${where.join(' and ')}
       order by r.start_time ${order}, r.run_id ${order} limit 1)`;
  const rows = await db.query<SummaryRow<ThreadSummary> & { thread_id: string }>(
    `select u.thread_id, s.*, f.*, l.*, e.* from ${threads}
     cross join lateral (select ${columns} ${turns}) s
     ${one('r.inputs_preview as first_inputs, r.trace_id as first_trace_id', { order: 'asc', only: 'true' })} f on true
     ${one('r.outputs_preview as last_outputs, r.trace_id as last_trace_id', { order: 'desc', only: 'true' })} l on true
     ${one('r.error_preview as last_error', { order: 'desc', only: 's.errors > 0 and r.has_error' })} e on true
     where s.turns > 0`,
    values.values,
  );
  const details = rows.some((row) => row.is_detailed)
    ? await db.query<DetailRow & { thread_id: string }>(
        `select u.thread_id, d.* from ${threads} cross join lateral (${detailsSql(turns)}) d`,
        values.values,
      )
    : [];
  const byThread = Map.groupBy(details, (row) => row.thread_id);
  return new Map(
    rows.map(({ thread_id, is_detailed: _is_detailed, ...row }) => [
      thread_id,
      { ...row, ...detailsOf(byThread.get(thread_id) ?? []) },
    ]),
  );
}

/** The totals of all turns of the threads that match; with `thread_ids`, of these threads. */
export async function readTotals(
  db: Queryable,
  scope: ThreadScope,
  { thread_ids }: { readonly thread_ids: readonly string[] | undefined },
): Promise<ThreadTotals> {
  const values = new SqlValues();
  const where = [turnSql(scope, values)];
  if (thread_ids !== undefined) where.push(`r.thread_id = any (${values.add(thread_ids, 'text[]')})`);
  else if (scope.asked.length > 0) where.push(`r.thread_id in (${matchingSql(scope, values)})`);
  const turns = `from traces.runs r ${ofTrace} where ${where.join(' and ')}`;
  const { is_detailed, ...row } = await db.one<SummaryRow<ThreadTotals>>(
    `select count(distinct r.thread_id) as threads, ${columns} ${turns}`,
    values.values,
  );
  const details = is_detailed ? await db.query<DetailRow>(detailsSql(turns), values.values) : [];
  return { ...row, ...detailsOf(details) };
}

interface DetailRow {
  readonly name: DetailName;
  readonly key: string;
  readonly amount: number;
}

const maps = detailNames.map((name) => `('${name}', t.${name})`).join(', ');

const detailsSql = (turns: string) =>
  `select d.name, e.key, sum(e.value::numeric)::float8 as amount ${turns.replace(
    ofTrace,
    `${ofTrace} cross join lateral (values ${maps}) d(name, map) cross join lateral jsonb_each_text(d.map) e`,
  )} group by d.name, e.key`;

function detailsOf(rows: readonly DetailRow[]): Pick<ThreadSummary, DetailName> {
  const sums = (name: DetailName) =>
    Object.fromEntries(rows.filter((row) => row.name === name).map(({ key, amount }) => [key, amount]));
  return Object.fromEntries(detailNames.map((name) => [name, sums(name)])) as Pick<ThreadSummary, DetailName>;
}
