import type { RunStats, RunStatsQuery } from '@roadstead/contracts/observability';
import { malformed, Problem } from '@roadstead/kit';
import { naive } from '../values/instant-rules.ts';
import { costNumber } from '../reading/run-answer-rules.ts';
import { type RunSearch, runSearchOf } from '../queries/run-query-rules.ts';
import type { Facet, SessionStats } from '../session-records/session-row.ts';

/** The query of `POST /runs/stats`, and its answer. */

export type Grouping =
  | { readonly by: 'name' }
  | { readonly by: 'run_type' }
  | { readonly by: 'tag' }
  | { readonly by: 'project' }
  | { readonly by: 'metadata'; readonly key: string };

export interface StatsQuery {
  readonly search: RunSearch;
  readonly grouping: Grouping | undefined;
  readonly max_groups: number;
  readonly groups: readonly string[] | undefined;
  readonly wants: (statistic: keyof RunStats) => boolean;
}

/** Statistics that need more than the runs themselves, and that only an explicit selection computes. */
const on_demand: ReadonlySet<string> = new Set([
  'run_facets',
  'thread_feedback_stats',
  'session_feedback_stats',
]);
const sets: Readonly<Record<string, RegExp>> = {
  all_run_stats: /./,
  all_token_stats: /token|cost/,
};

/** @throws Problem naming the field that can't be answered. */
export function statsQueryOf({ select, group_by, groups, ...query }: RunStatsQuery): StatsQuery {
  const search = runSearchOf(query);
  const selected = select == null || select.length === 0 ? undefined : new Set<string>(select);
  const grouped = groups?.filter((group) => group !== null);
  return {
    search,
    grouping: group_by == null ? undefined : groupingOf(group_by),
    max_groups: group_by?.max_groups ?? 1,
    groups: grouped == null || grouped.length === 0 ? undefined : grouped,
    wants: (statistic) => {
      if (selected === undefined) return !on_demand.has(statistic);
      if (selected.has(statistic)) return true;
      return Object.entries(sets).some(
        ([name, members]) => selected.has(name) && !on_demand.has(statistic) && members.test(statistic),
      );
    },
  };
}

function groupingOf({ attribute, path }: NonNullable<RunStatsQuery['group_by']>): Grouping {
  if (attribute !== 'metadata') return { by: attribute };
  if (path == null || path === '')
    throw malformed(['body', 'group_by', 'path'], 'names the key of the metadata to group by');
  return { by: 'metadata', key: path };
}

/** The faults of a query, for a caller who only wants to check it. */
export function problemsOf(check: () => unknown) {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.issues.length > 0)
      return error.issues.map(({ loc, msg, type }) => ({ loc: [...loc], msg, type }));
    const [, field] = /^`(\w+)`/.exec(error.message) ?? [];
    return [
      { loc: field === undefined ? ['body'] : ['body', field], msg: error.sentence, type: 'value_error' },
    ];
  }
}

/** The statistics that rollups of projects contain. */
const rolled_up: ReadonlySet<keyof RunStats> = new Set<keyof RunStats>([
  'run_count',
  'latency_p50',
  'latency_p99',
  'first_token_p50',
  'first_token_p99',
  'error_rate',
  'streaming_rate',
  'last_run_start_time',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_cost',
  'completion_cost',
  'total_cost',
  'feedback_stats',
  'session_feedback_stats',
]);

/** Whether the query asks only for the sums of whole projects, over their roots. */
export function isOfWholeProjects({ search, grouping }: StatsQuery): boolean {
  const { by, filter, asked } = search;
  const { session_ids: _ids, is_root, ...narrower } = filter;
  return (
    by.kind === 'sessions' &&
    grouping === undefined &&
    is_root === true &&
    Object.values(narrower).every((value) => value === undefined) &&
    [asked.run, asked.root, asked.tree].every((condition) => condition === undefined)
  );
}

/** Whether the rollups contain everything that is asked for. */
export function isRolledUp({ wants }: StatsQuery, statistics: readonly (keyof RunStats)[]): boolean {
  return statistics.every((name) => !wants(name) || rolled_up.has(name));
}

/** The statistics of a project's roots, from its rollups. */
export function statsOfRollups(stats: SessionStats): RunStats {
  const { last_run_start_time, total_cost, prompt_cost, completion_cost, ...others } = stats;
  return {
    ...others,
    last_run_start_time: naive(last_run_start_time),
    total_cost: costNumber(total_cost),
    prompt_cost: costNumber(prompt_cost),
    completion_cost: costNumber(completion_cost),
  };
}

/** The selected statistics only. */
export function selectedStats(stats: RunStats, { wants }: StatsQuery): RunStats {
  return Object.fromEntries(Object.entries(stats).filter(([name]) => wants(name as keyof RunStats)));
}

/** The filter that finds the runs of a facet. */
export function facetFilter({ key, value }: Pick<Facet, 'key' | 'value'>): string {
  const text = JSON.stringify(value);
  if (key === 'tag') return `has(tags, ${text})`;
  if (!key.startsWith('metadata.')) return `eq(${key}, ${text})`;
  const name = JSON.stringify(key.slice('metadata.'.length));
  return `and(eq(metadata_key, ${name}), eq(metadata_value, ${text}))`;
}
