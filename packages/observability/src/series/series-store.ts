import type { Queryable } from '@roadstead/postgres';
import type { Rollup } from '../digest/rollup-rules.ts';
import { rollupColumns } from '../digest/rollup-store.ts';
import { lookupOf } from '../filters/filter-lookup-rules.ts';
import { SqlValues } from '../filters/filter-sql-store.ts';
import { joinedSearch } from '../filters/run-filter-store.ts';
import { indexSql } from '../queries/run-lookup-store.ts';
import type { SearchOf } from '../queries/run-query-store.ts';
import { besideRuns, filterSql, isLive, runConditionSql } from '../queries/run-sql-store.ts';
import { calledModelSql, countedSql, isModelCall } from '../records/counting-store.ts';
import type { SessionKeys } from '../values/keys.ts';
import type { FeedbackRow, SeriesRow } from './series-line-rules.ts';
import type { SeriesGrouping, SeriesPart, SeriesRequest } from './series-rules.ts';

/** Sums of runs by bucket, by reading each run; and those of whole days, from the rollups. */

export interface SeriesScan extends SearchOf {
  readonly request: SeriesRequest;
}

/** The projects of a question: those that are named, or all but experiments. */
export async function listSeriesProjects(
  db: Queryable,
  { workspace_id, ids }: { readonly workspace_id: string; readonly ids: readonly string[] | undefined },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from traces.sessions where workspace_id = $1 and deleted_at is null
       and case when $2::uuid[] is null then reference_dataset_id is null else id = any ($2::uuid[]) end`,
    [workspace_id, ids ?? null],
  );
  return rows.map(({ id }) => id);
}

interface GroupSql {
  /** A `text[]`: the groups of a run, usually one. */
  readonly groups: string;
  readonly where?: string;
  readonly needs_search?: boolean;
}

const one = (sql: string) => `array[${sql}]`;
const groupings: Readonly<Record<SeriesGrouping, GroupSql>> = {
  project: { groups: one('r.session_id::text') },
  model: {
    groups: one(calledModelSql('r')),
    where: isModelCall('r'),
  },
  tool: { groups: one(`coalesce(r.name, '')`), where: `r.run_type = 'tool'` },
  revision: { groups: one(`x.metadata ->> 'revision_id'`), needs_search: true },
  tag: { groups: 'array(select distinct unnest(r.tags))' },
  status: {
    groups: one(
      `case when r.has_error then 'error' when r.end_time is null then 'pending' else 'success' end`,
    ),
  },
  run_type: { groups: one(`coalesce(r.run_type, 'chain')`) },
};

/** `m`: the runs of both periods, with their bucket where they are in the present one. */
function matchedSql({ search, workspace_id, request }: SeriesScan, values: SqlValues): string {
  const { filter, asked } = search;
  const of_traces = filter.is_root === true;
  const group = request.grouping && groupings[request.grouping];
  const from = values.add(new Date(request.span.from_ms).toISOString(), 'timestamptz');
  const to = values.add(new Date(request.span.to_ms).toISOString(), 'timestamptz');
  const lookup = asked.run && lookupOf(asked.run);
  const where = [
    `r.workspace_id = ${values.add(workspace_id, 'uuid')}`,
    ...filterSql(filter, values),
    `r.start_time < ${to}`,
    ...(group?.where === undefined ? [] : [group.where]),
    ...(lookup === undefined
      ? []
      : indexSql(lookup, { session_ids: filter.session_ids ?? [], times: filter, values })),
    ...runConditionSql(asked, values),
    isLive,
  ];
  const needs_search = lookup !== undefined || group?.needs_search === true;
  const beside = needs_search ? joinedSearch({ runs: 'r', search: 'x' }) : besideRuns(asked);
  const needs_trace = of_traces && ['first_token', 'tokens', 'cost'].some(isSelected(request));
  return `m as materialized (
    select r.run_id, ${group?.groups ?? 'null::text[]'} as groups, r.start_time >= ${from} as is_now, r.has_error,
      case when r.start_time >= ${from}
        then floor(extract(epoch from r.start_time) / ${values.add(request.bucket_s, 'integer')})::bigint end as bucket
      ${valuesSql({ of_traces: needs_trace })
        .filter(([part]) => isSelected(request)(part))
        .map(([, sql]) => `, ${sql}`)
        .join('')}
    from traces.runs r ${beside}
    ${needs_trace ? 'left join traces.traces t on t.trace_id = r.trace_id and t.workspace_id = r.workspace_id' : ''}
    where ${where.join(' and ')})`;
}

const isSelected =
  ({ parts }: SeriesRequest) =>
  (part: string): boolean =>
    parts.has(part as SeriesPart);

/** The values of a run, by the part that asks for them. */
function valuesSql({ of_traces }: { readonly of_traces: boolean }): (readonly [SeriesPart, string])[] {
  const first_token = of_traces ? 'coalesce(t.first_token_time, r.first_token_time)' : 'r.first_token_time';
  const used = (name: 'prompt_tokens' | 'completion_tokens' | 'total_tokens' | 'total_cost') =>
    `${of_traces ? `t.${name}` : countedSql('r', name)} as ${name}`;
  return [
    ['latency', 'extract(epoch from r.end_time - least(r.start_time, r.end_time))::float8 as latency'],
    [
      'first_token',
      `extract(epoch from ${first_token} - least(r.start_time, ${first_token}))::float8 as first_token`,
    ],
    ['tokens', [used('prompt_tokens'), used('completion_tokens'), used('total_tokens')].join(', ')],
    ['cost', used('total_cost')],
  ];
}

const percentiles = (shares: readonly number[], name: string) =>
  `percentile_cont(array[${shares.join(', ')}]) within group (order by ${name}) filter (where ${name} is not null) as ${name}`;
const tokens = (name: string) => `coalesce(sum(${name}), 0)::bigint as ${name}`;
const sums: Readonly<Partial<Record<SeriesPart, string>>> = {
  latency: percentiles([0.5, 0.95, 0.99], 'latency'),
  first_token: percentiles([0.5, 0.95], 'first_token'),
  tokens: ['prompt_tokens', 'completion_tokens', 'total_tokens'].map(tokens).join(', '),
  cost: 'sum(total_cost)::float8 as total_cost',
};

/** Sums of all runs and of the largest groups, by bucket and by period. */
export async function readSeries(db: Queryable, scan: SeriesScan): Promise<SeriesRow[]> {
  const { grouping, parts, max_groups } = scan.request;
  const values = new SqlValues();
  const sql = [
    'count(*) as runs',
    'count(*) filter (where has_error) as errors',
    ...[...parts].flatMap((part) => sums[part] ?? []),
  ].join(', ');
  const matched = matchedSql(scan, values);
  const periods = 'having is_now or grouping(bucket) = 1';
  const all = `select 'all' as kind, null as "group", bucket, is_now, ${sql} from m group by is_now, rollup (bucket) ${periods}`;
  if (grouping === undefined) return db.query<SeriesRow>(`with ${matched} ${all}`, values.values);
  return db.query<SeriesRow>(
    `with ${matched}, g as materialized (
       select m.*, u.name from m cross join lateral unnest(m.groups) as u(name) where u.name is not null
     ), largest as (
       select name from g where is_now group by name order by count(*) desc, name limit ${values.add(max_groups, 'integer')}
     ), named as (
       select g.*, l.name as "group", case when l.name is null then 'other' else 'group' end as kind
       from g left join largest l on l.name = g.name
     )
     ${all} union all
     select kind, "group", bucket, is_now, ${sql} from named group by kind, "group", is_now, rollup (bucket) ${periods}`,
    values.values,
  );
}

const MAX_KEYS = 20;

/** The feedback on the runs of a series, by its most frequent keys. */
export async function readSeriesFeedback(
  db: Queryable,
  scan: SeriesScan,
  { groups }: { readonly groups: readonly string[] },
): Promise<FeedbackRow[]> {
  const values = new SqlValues();
  const lean = { ...scan, request: { ...scan.request, parts: new Set<SeriesPart>() } };
  const keys = scan.request.feedback_keys;
  const named = `u.name = any (${values.add(groups, 'text[]')})`;
  return db.query<FeedbackRow>(
    `with ${matchedSql(lean, values)}, f as materialized (
       select m.groups, m.bucket, m.is_now, f.key, f.score from m
       join traces.feedback f on f.run_id = m.run_id and f.workspace_id = ${values.add(scan.workspace_id, 'uuid')}
       ${keys === undefined ? '' : `where f.key = any (${values.add(keys, 'text[]')})`}
     ), frequent as (
       select key from f group by key order by count(*) desc, key limit ${MAX_KEYS}
     ), lines as (
       select 'all' as kind, null as "group", f.* from f
       union all
       select case when ${named} then 'group' else 'other' end, case when ${named} then u.name end, f.*
       from f cross join lateral unnest(f.groups) as u(name) where u.name is not null
     )
     select kind, "group", bucket, is_now, key, count(*) as count, avg(score) as average
     from lines where key in (select key from frequent)
     group by kind, "group", key, is_now, rollup (bucket) having is_now or grouping(bucket) = 1`,
    values.values,
  );
}

export type DayRollup = Rollup & { readonly day: string };

/** The rollups of these days, the last one included; one for each project, partition and day. */
export async function readDayRollups(
  db: Queryable,
  { workspace_id, session_ids, from, to }: SessionKeys & { readonly from: string; readonly to: string },
): Promise<DayRollup[]> {
  return db.query<DayRollup>(
    `select day::text as day, ${rollupColumns} from traces.rollups
     where workspace_id = $1 and session_id = any ($2::uuid[]) and day between $3::date and $4::date`,
    [workspace_id, session_ids, from, to],
  );
}
