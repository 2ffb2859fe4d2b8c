import type { Queryable } from '@roadstead/postgres';
import type { FeedbackStats } from '../records/feedback-row.ts';
import { readFeedbackStats } from '../feedback/feedback-stats-store.ts';
import { naive } from '../values/instant-rules.ts';
import { costNumber } from '../reading/run-answer-rules.ts';
import type { SessionRow } from '../session-records/session-row.ts';
import { sessionAnswer } from '../sessions/session-rules.ts';
import { mergedFeedback } from './feedback-merging-rules.ts';
import type { ExperimentScope } from './experiment-filter-store.ts';
import {
  type GroupedExamples,
  readGroupedExamples,
  readRunGroups,
  type RunGrouping,
  type RunSums,
} from './run-group-store.ts';

/** Experiments side by side, for each value of the grouping. */

export interface RunGroup {
  readonly sums: RunSums;
  readonly of_experiments: readonly RunSums[];
  readonly shared: GroupedExamples | undefined;
  readonly feedback: ReadonlyMap<string, FeedbackStats>;
}

export async function readGroups(
  db: Queryable,
  scope: ExperimentScope,
  { per_group, ...grouping }: RunGrouping & { readonly per_group: number },
): Promise<RunGroup[]> {
  const sums = await readRunGroups(db, scope, grouping);
  const wholes = sums.filter(({ session_id }) => session_id === null);
  const keys = wholes.map(({ group_key }) => group_key);
  const shared = await readGroupedExamples(db, scope, { ...grouping, per_group, keys });
  const { workspace_id } = scope;
  const run_ids = wholes.flatMap((one) => one.run_ids);
  const feedback = await readFeedbackStats(db, { workspace_id, run_ids });
  return wholes.map((whole) => ({
    sums: whole,
    of_experiments: sums.filter((one) => one.group_key === whole.group_key && one.session_id !== null),
    shared: shared.find(({ group_key }) => group_key === whole.group_key),
    feedback,
  }));
}

/** All of a group's answer but its examples. */
export function groupAnswer(
  { sums, of_experiments, shared, feedback }: RunGroup,
  {
    grouping,
    sessions,
  }: {
    readonly grouping: Pick<RunGrouping, 'by' | 'key'>;
    readonly sessions: ReadonlyMap<string, SessionRow>;
  },
) {
  const filter = filterOf(grouping, sums.group_key);
  return {
    group_key: sums.group_key,
    filter,
    example_count: shared?.example_count ?? 0,
    ...sumsAnswer(sums, feedback),
    sessions: of_experiments.flatMap((one) => {
      const row = sessions.get(one.session_id ?? '');
      if (row === undefined) return [];
      const { count: run_count, ...rest } = sumsAnswer(one, feedback);
      return [{ ...sessionAnswer(row), ...rest, run_count, filter, example_count: one.example_count }];
    }),
  };
}

function sumsAnswer(sums: RunSums, feedback: ReadonlyMap<string, FeedbackStats>) {
  return {
    count: sums.count,
    prompt_tokens: sums.prompt_tokens,
    completion_tokens: sums.completion_tokens,
    total_tokens: sums.total_tokens,
    prompt_cost: costNumber(sums.prompt_cost),
    completion_cost: costNumber(sums.completion_cost),
    total_cost: costNumber(sums.total_cost),
    latency_p50: sums.latency_p50,
    latency_p99: sums.latency_p99,
    error_rate: sums.error_rate,
    min_start_time: naive(sums.min_start_time),
    max_start_time: naive(sums.max_start_time),
    feedback_stats: mergedFeedback(sums.run_ids.map((id) => feedback.get(id) ?? {})),
  };
}

/** The filter that finds the runs of a group: runs carry the metadata of their examples as `ls_example_…`. */
function filterOf({ by, key }: Pick<RunGrouping, 'by' | 'key'>, value: string): string {
  const name = by === 'run_metadata' ? key : `ls_example_${key}`;
  const pair = `and(eq(metadata_key, ${JSON.stringify(name)}), eq(metadata_value, ${JSON.stringify(value)}))`;
  return `and(eq(is_root, true), ${pair})`;
}
