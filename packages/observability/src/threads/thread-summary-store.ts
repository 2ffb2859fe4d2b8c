import type { Queryable } from '@roadstead/kit';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { askedSql } from '../runs/run-sql-store.ts';
import { instantText } from '../runs/run-store.ts';
import type { ThreadSummary, ThreadTotals } from './thread-summary.ts';
import { besideTurns, matchingSql, type ThreadScope, turnSql } from './thread-store.ts';

/** What turns add up to. Percentiles are exact; tokens and costs are those of whole traces. */

const ofTrace = `join traces.traces t on t.trace_id = r.trace_id and t.workspace_id = r.workspace_id`;
const seconds = 'extract(epoch from r.end_time - least(r.start_time, r.end_time))::float8';
const firstTokenSeconds = `extract(epoch from coalesce(t.first_token_time, r.first_token_time)
  - least(r.start_time, coalesce(t.first_token_time, r.first_token_time)))::float8`;
const percentile = (share: number, value: string) =>
  `percentile_cont(${share}) within group (order by ${value})`;
const first = (column: string) => `(array_agg(${column} order by r.start_time, r.run_id))[1]`;
const last = (column: string, where = '') =>
  `(array_agg(${column} order by r.start_time desc, r.run_id desc)${where})[1]`;

const summed = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_cost',
  'completion_cost',
  'total_cost',
];
const detailed = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const;

const columns = `
  count(*) as turns, count(*) filter (where r.end_time is not null) as finished, count(*) filter (where r.has_error) as errors,
  count(*) filter (where coalesce(t.first_token_time, r.first_token_time) is not null) as streamed,
  ${instantText('min(r.start_time)')} as first_start_time, ${instantText('max(r.start_time)')} as last_start_time,
  ${instantText('max(r.end_time)')} as last_end_time,
  ${percentile(0.5, seconds)} as latency_p50, ${percentile(0.99, seconds)} as latency_p99,
  ${percentile(0.5, firstTokenSeconds)} as first_token_p50, ${percentile(0.99, firstTokenSeconds)} as first_token_p99,
  ${percentile(0.5, 't.total_tokens::float8')} as median_tokens,
  ${summed.map((name) => `sum(t.${name}) as ${name}`).join(', ')}`;
const ends = `${first('r.inputs_preview')} as first_inputs, ${last('r.outputs_preview')} as last_outputs,
  ${last('r.error_preview', ' filter (where r.has_error)')} as last_error,
  ${first('r.trace_id')} as first_trace_id, ${last('r.trace_id')} as last_trace_id`;

/** Of each thread, by its id: of those of its turns that pass all conditions. */
export async function readThreadSummaries(
  db: Queryable,
  scope: ThreadScope,
  { thread_ids }: { readonly thread_ids: readonly string[] },
): Promise<Map<string, ThreadSummary>> {
  if (thread_ids.length === 0) return new Map();
  const values = new SqlValues();
  const where = [turnSql(scope, values), `r.thread_id = any (${values.add(thread_ids, 'text[]')})`];
  where.push(...scope.asked.flatMap((asked) => askedSql(asked, values)));
  const turns = `from traces.runs r ${besideTurns(scope)} ${ofTrace} where ${where.join(' and ')}`;
  const rows = await db.query<Omit<ThreadSummary, (typeof detailed)[number]> & { thread_id: string }>(
    `select r.thread_id, ${columns}, ${ends} ${turns} group by r.thread_id`,
    values.values,
  );
  const details = await readDetails(db, turns, values);
  return new Map(
    rows.map(({ thread_id, ...row }) => [thread_id, { ...row, ...detailsOf(details.get(thread_id) ?? []) }]),
  );
}

/** Of all turns together of the threads that match; with `thread_ids`, of these. */
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
  const row = await db.one<Omit<ThreadTotals, (typeof detailed)[number]>>(
    `select count(distinct r.thread_id) as threads, ${columns} ${turns}`,
    values.values,
  );
  const details = await readDetails(db, turns, values);
  return { ...row, ...detailsOf([...details.values()].flat()) };
}

interface DetailRow {
  readonly thread_id: string;
  readonly name: (typeof detailed)[number];
  readonly key: string;
  readonly amount: string;
}

async function readDetails(
  db: Queryable,
  turns: string,
  values: SqlValues,
): Promise<Map<string, DetailRow[]>> {
  const rows = await db.query<DetailRow>(
    `select r.thread_id, d.name, e.key, sum(e.value::numeric)::text as amount ${turns.replace(
      ofTrace,
      `${ofTrace} cross join lateral (values ${detailed.map((name) => `('${name}', t.${name})`).join(', ')}) d(name, map)
       cross join lateral jsonb_each_text(d.map) e`,
    )} group by r.thread_id, d.name, e.key`,
    values.values,
  );
  return Map.groupBy(rows, (row) => row.thread_id);
}

function detailsOf(rows: readonly DetailRow[]): Pick<ThreadSummary, (typeof detailed)[number]> {
  const sums = (name: string) => {
    const map: Record<string, number> = {};
    for (const row of rows) if (row.name === name) map[row.key] = (map[row.key] ?? 0) + Number(row.amount);
    return map;
  };
  return Object.fromEntries(detailed.map((name) => [name, sums(name)])) as Pick<
    ThreadSummary,
    (typeof detailed)[number]
  >;
}
