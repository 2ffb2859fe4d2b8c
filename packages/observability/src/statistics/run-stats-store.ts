import type { Queryable } from '@roadstead/postgres';
import type { FeedbackShare } from '../feedback/feedback-stats-rules.ts';
import type { Median } from '../feedback/feedback-stats-store.ts';
import { lookupOf } from '../filters/filter-lookup-rules.ts';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { joinedSearch } from '../filters/run-filter-store.ts';
import {
  type CostName,
  costNames,
  type DetailName,
  detailNames,
  type TokenName,
  tokenNames,
} from '../records/run-operation.ts';
import { countedSql } from '../records/counting-store.ts';
import { indexSql } from '../queries/run-lookup-store.ts';
import type { SearchOf } from '../queries/run-query-store.ts';
import { besideRuns, filterSql, ofLiveSession, runConditionSql } from '../queries/run-sql-store.ts';
import { instantText } from '../records/run-store.ts';
import type { Grouping } from './run-stats-rules.ts';

/**
 * Exact statistics of runs, by reading each. Where only roots are asked for, each counts with the totals of its
 * trace.
 */

export interface StatsOf extends SearchOf {
  readonly grouping: Grouping | undefined;
  /** The groups to which the answer is limited. */
  readonly groups: readonly string[] | undefined;
}

/** `m`: the runs that match, once for each of their groups. */
function matchedSql(of: StatsOf, values: SqlValues): string {
  const { search, workspace_id, grouping } = of;
  const { by, filter, asked } = search;
  const of_traces = filter.is_root === true;
  const where = [`r.workspace_id = ${values.add(workspace_id, 'uuid')}`, ...filterSql(filter, values)];
  if (by.kind === 'ids') where.push(`r.run_id = any (${values.add(by.ids, 'uuid[]')})`);
  if (filter.trace_id !== undefined) where.push(`r.trace_id = ${values.add(filter.trace_id, 'uuid')}`);
  const lookup = asked.run && lookupOf(asked.run);
  if (lookup !== undefined && filter.session_ids !== undefined)
    where.push(...indexSql(lookup, { session_ids: filter.session_ids, times: filter, values }));
  where.push(...runConditionSql(asked, values), ofLiveSession);
  const needs_search = grouping?.by === 'metadata' || lookup !== undefined;
  const beside = needs_search ? joinedSearch({ runs: 'r', search: 'x' }) : besideRuns(asked);
  const used = (name: TokenName | CostName | DetailName) =>
    `${of_traces ? `t.${name}` : countedSql('r', name)} as ${name}`;
  const first_token = of_traces ? 'coalesce(t.first_token_time, r.first_token_time)' : 'r.first_token_time';
  const group = groupSql(grouping, values);
  const kept = of.groups === undefined ? '' : `where g = any (${values.add(of.groups, 'text[]')})`;
  return `m as materialized (select * from (
    select ${group.value} as g, r.run_id, r.start_time, r.has_error,
      extract(epoch from r.end_time - least(r.start_time, r.end_time))::float8 as latency,
      extract(epoch from ${first_token} - least(r.start_time, ${first_token}))::float8 as first_token,
      ${[...tokenNames, ...costNames, ...detailNames].map(used).join(', ')}
    from traces.runs r ${beside}
    ${of_traces ? 'left join traces.traces t on t.trace_id = r.trace_id and t.workspace_id = r.workspace_id' : ''}
    ${group.from} where ${where.join(' and ')}) m ${kept})`;
}

function groupSql(
  grouping: Grouping | undefined,
  values: SqlValues,
): { readonly value: string; readonly from: string } {
  if (grouping === undefined) return { value: 'null::text', from: '' };
  if (grouping.by === 'name') return { value: `coalesce(r.name, '')`, from: '' };
  if (grouping.by === 'run_type') return { value: `coalesce(r.run_type, 'chain')`, from: '' };
  if (grouping.by === 'project') return { value: 'r.session_id::text', from: '' };
  if (grouping.by === 'tag')
    return { value: 'u.tag', from: 'cross join lateral (select distinct unnest(r.tags) as tag) u' };
  const value = `x.metadata -> ${values.add(grouping.key, 'text')}`;
  return {
    value: 'u.value',
    from: `cross join lateral jsonb_array_elements_text(
      case jsonb_typeof(${value}) when 'array' then ${value} when 'string' then jsonb_build_array(${value}) else '[]' end)
      as u(value)`,
  };
}

const percentile = (share: number, value: string) =>
  `percentile_cont(${share}) within group (order by ${value}) filter (where ${value} is not null)`;
const ofTokens = (share: number, name: string) =>
  `round(percentile_cont(${share}) within group (order by ${name}) filter (where total_tokens > 0))::bigint`;

export interface StatsRow {
  /** The group; null for runs without one. */
  readonly g: string | null;
  readonly run_count: number;
  readonly latency_p50: number | null;
  readonly latency_p99: number | null;
  readonly latency_avg: number | null;
  readonly first_token_p50: number | null;
  readonly first_token_p99: number | null;
  readonly error_rate: number | null;
  readonly streaming_rate: number | null;
  readonly last_run_start_time: string | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly median_tokens: number | null;
  readonly tokens_p99: number | null;
  readonly prompt_tokens_p50: number | null;
  readonly prompt_tokens_p99: number | null;
  readonly completion_tokens_p50: number | null;
  readonly completion_tokens_p99: number | null;
  /** Decimal text. */
  readonly prompt_cost: string | null;
  readonly completion_cost: string | null;
  readonly total_cost: string | null;
  readonly cost_p50: number | null;
  readonly cost_p99: number | null;
}

/** The statistics of all runs together, or of the largest groups. */
export async function readStats(
  db: Queryable,
  of: StatsOf,
  { max_groups }: { readonly max_groups: number },
): Promise<StatsRow[]> {
  const values = new SqlValues();
  return db.query<StatsRow>(
    `with ${matchedSql(of, values)}
     select min(g) as g, count(*) as run_count,
       ${percentile(0.5, 'latency')} as latency_p50, ${percentile(0.99, 'latency')} as latency_p99,
       avg(latency) as latency_avg,
       ${percentile(0.5, 'first_token')} as first_token_p50, ${percentile(0.99, 'first_token')} as first_token_p99,
       avg(has_error::integer)::float8 as error_rate,
       avg((first_token is not null)::integer)::float8 as streaming_rate,
       ${instantText('max(start_time)')} as last_run_start_time,
       ${tokenNames.map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', ')},
       ${ofTokens(0.5, 'total_tokens')} as median_tokens, ${ofTokens(0.99, 'total_tokens')} as tokens_p99,
       ${ofTokens(0.5, 'prompt_tokens')} as prompt_tokens_p50, ${ofTokens(0.99, 'prompt_tokens')} as prompt_tokens_p99,
       ${ofTokens(0.5, 'completion_tokens')} as completion_tokens_p50,
       ${ofTokens(0.99, 'completion_tokens')} as completion_tokens_p99,
       ${costNames.map((name) => `sum(${name}) as ${name}`).join(', ')},
       ${percentile(0.5, 'total_cost')}::float8 as cost_p50, ${percentile(0.99, 'total_cost')}::float8 as cost_p99
     from m ${of.grouping === undefined ? '' : 'group by m.g order by count(*) desc, m.g'}
     limit ${values.add(max_groups, 'integer')}`,
    values.values,
  );
}

export interface DetailSum {
  readonly g: string | null;
  readonly name: DetailName;
  readonly key: string;
  readonly amount: number;
}

/** The sums of the details of tokens and costs. */
export async function readDetailSums(db: Queryable, of: StatsOf): Promise<DetailSum[]> {
  const values = new SqlValues();
  return db.query<DetailSum>(
    `with ${matchedSql(of, values)}
     select m.g, d.name, e.key, sum(e.value::numeric)::float8 as amount from m
     cross join lateral (values ${detailNames.map((name) => `('${name}', m.${name})`).join(', ')}) d(name, map)
     cross join lateral jsonb_each_text(d.map) e group by 1, 2, 3`,
    values.values,
  );
}

/** The feedback on the runs themselves. */
export async function readFeedbackShares(
  db: Queryable,
  of: StatsOf,
): Promise<(FeedbackShare & { readonly g: string | null })[]> {
  const values = new SqlValues();
  return db.query(
    `with ${matchedSql(of, values)}
     select s.g, s.key, s.source_type, s.label, s.count, s.scored, s.errors, s.sum::float8 as sum, s.min, s.max, s.comments,
       (sum(s.squares) over k - power(sum(s.sum) over k, 2) / nullif(sum(s.scored) over k, 0))::float8
         as squared_deviations
     from (
       select m.g, f.key, coalesce(f.source_type, '') as source_type, coalesce(f.label, '') as label,
         count(*) as count, count(f.score) as scored, count(*) filter (where f.error) as errors,
         coalesce(sum(round(f.score::numeric, 12)), 0) as sum,
         coalesce(sum(round(f.score::numeric, 12) ^ 2), 0) as squares,
         min(f.score) as min, max(f.score) as max,
         (array_agg(f.comment order by f.created_at desc) filter (where f.comment <> ''))[1:10] as comments
       from m join traces.feedback f
         on f.run_id = m.run_id and f.workspace_id = ${values.add(of.workspace_id, 'uuid')}
       group by 1, 2, 3, 4
     ) s window k as (partition by s.g, s.key) order by s.key, s.source_type, s.label`,
    values.values,
  );
}

/** The medians of each key of the feedback on the runs of a project. */
export async function readMatchedMedians(db: Queryable, of: StatsOf): Promise<Median[]> {
  const values = new SqlValues();
  return db.query<Median>(
    `with ${matchedSql(of, values)}
     select m.g as session_id, f.key, percentile_cont(0.5) within group (order by f.score) as median
     from m join traces.feedback f
       on f.run_id = m.run_id and f.workspace_id = ${values.add(of.workspace_id, 'uuid')} and f.score is not null
     group by 1, 2`,
    values.values,
  );
}

const MAX_FACETS = 10;

export interface Facet {
  readonly g: string | null;
  readonly key: string;
  readonly value: string;
  readonly n: number;
}

/** The most frequent values of the facets of runs. */
export async function readFacets(db: Queryable, of: StatsOf): Promise<Facet[]> {
  const values = new SqlValues();
  return db.query<Facet>(
    `with ${matchedSql(of, values)}, facets as (
       select m.g, a.key, a.value, count(*) as n from m
       join traces.runs r on r.run_id = m.run_id and r.workspace_id = ${values.add(of.workspace_id, 'uuid')}
       ${joinedSearch({ runs: 'r', search: 'x' })}
       cross join lateral (
         select 'name' as key, coalesce(r.name, '') as value
         union all select 'run_type', coalesce(r.run_type, 'chain')
         union all select distinct 'tag', tag from unnest(r.tags) tag
         union all select 'metadata.' || e.key, e.value #>> '{}' from jsonb_each(x.metadata) e
           where jsonb_typeof(e.value) = 'string'
       ) a group by 1, 2, 3
     )
     select g, key, value, n from (
       select *, row_number() over (partition by g, key order by n desc, value) as place from facets
     ) f where place <= ${MAX_FACETS} order by g, key, n desc, value limit 1000`,
    values.values,
  );
}
