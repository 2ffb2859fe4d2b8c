import type { Queryable } from '@roadstead/postgres';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { instantText } from '../records/run-store.ts';
import { type ExperimentScope, scopeSql } from './experiment-filter-store.ts';
import type { OffsetPage } from '../values/pages.ts';

/** Sums over the runs of experiments, by a value of their metadata or of their examples'. */

export interface RunSums {
  readonly group_key: string;
  /** The experiment; null for the group as a whole. */
  readonly session_id: string | null;
  readonly count: number;
  readonly example_count: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_cost: string | null;
  readonly completion_cost: string | null;
  readonly total_cost: string | null;
  readonly latency_p50: number | null;
  readonly latency_p99: number | null;
  readonly error_rate: number | null;
  readonly min_start_time: string | null;
  readonly max_start_time: string | null;
  readonly run_ids: readonly string[];
}

export interface RunGrouping extends OffsetPage {
  readonly by: 'run_metadata' | 'example_metadata';
  readonly key: string;
}

/** A page of groups in the order of their values, each with its experiments. */
export async function readRunGroups(
  db: Queryable,
  scope: ExperimentScope,
  grouping: RunGrouping,
): Promise<RunSums[]> {
  const values = new SqlValues([scope.workspace_id]);
  const runs = runsSql(scope, values, grouping);
  return db.query<RunSums>(
    `with runs as materialized (${runs}), groups as (
       select value from runs group by value order by value collate "C" limit ${grouping.limit} offset ${grouping.offset}
     )
     select value as group_key, session_id, count(*) as count, count(distinct example_id) as example_count,
       sum(prompt_tokens)::int8 as prompt_tokens, sum(completion_tokens)::int8 as completion_tokens,
       sum(total_tokens)::int8 as total_tokens, sum(prompt_cost) as prompt_cost,
       sum(completion_cost) as completion_cost, sum(total_cost) as total_cost,
       percentile_cont(0.5) within group (order by seconds) as latency_p50,
       percentile_cont(0.99) within group (order by seconds) as latency_p99,
       avg(has_error::integer)::float8 as error_rate, ${instantText('min(start_time)')} as min_start_time,
       ${instantText('max(start_time)')} as max_start_time, array_agg(run_id) as run_ids
     from runs join groups using (value) group by grouping sets ((value), (value, session_id))
     order by value collate "C", session_id nulls first`,
    values.values,
  );
}

export interface GroupedExamples {
  readonly group_key: string;
  readonly example_count: number;
  readonly example_ids: readonly string[];
}

/** For groups: the number of examples with runs of all experiments, and some of these examples. */
export async function readGroupedExamples(
  db: Queryable,
  scope: ExperimentScope,
  {
    per_group,
    keys,
    ...grouping
  }: Pick<RunGrouping, 'by' | 'key'> & {
    readonly keys: readonly string[];
    readonly per_group: number;
  },
): Promise<GroupedExamples[]> {
  const values = new SqlValues([scope.workspace_id]);
  const runs = runsSql(scope, values, grouping);
  return db.query<GroupedExamples>(
    `select value as group_key, count(*) as example_count,
       (array_agg(example_id order by example_id))[1:${per_group}] as example_ids
     from (
       select value, example_id from (${runs}) r where value = any (${values.add(keys, 'text[]')})
       group by value, example_id having count(distinct session_id) = ${scope.experiment_ids.length}
     ) shared group by value`,
    values.values,
  );
}

function runsSql(
  scope: ExperimentScope,
  values: SqlValues,
  { by, key }: Pick<RunGrouping, 'by' | 'key'>,
): string {
  const runs = scopeSql(scope, values);
  const name = values.add(key, 'text');
  const value = by === 'run_metadata' ? `m.metadata->>${name}` : `e.metadata->>${name}`;
  return `select r.run_id, r.session_id, r.reference_example_id as example_id, ${value} as value, r.has_error, r.start_time,
      extract(epoch from r.end_time - least(r.start_time, r.end_time))::float8 as seconds,
      t.prompt_tokens, t.completion_tokens, t.total_tokens, t.prompt_cost, t.completion_cost, t.total_cost
    from traces.runs r
    join traces.traces t on t.trace_id = r.trace_id and t.workspace_id = r.workspace_id
    ${runs.join}
    left join traces.search m on m.run_id = r.run_id and m.workspace_id = r.workspace_id and m.tier = r.tier and m.week = r.week
    left join traces.examples e on e.workspace_id = r.workspace_id and e.example_id = r.reference_example_id and e.valid_to is null
    where ${runs.where} and ${value} is not null`;
}
