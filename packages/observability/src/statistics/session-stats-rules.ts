import { percentileOf } from '../digest/histogram-rules.ts';
import { mergedRollup, type Rollup } from '../digest/rollup-rules.ts';
import type { SessionStats } from '../session-records/session-row.ts';

/**
 * Statistics of a project over its root runs; tokens and costs are those of whole traces. Percentiles are of finished
 * runs. A client stamps starts to the microsecond, to keep their order, and ends to the millisecond: an end before its
 * start counts as no time.
 */
export function sessionStatsOf(
  rollups: readonly Rollup[],
  last_run_start_time: string | undefined,
): SessionStats {
  const sum = mergedRollup(rollups);
  const { run_count, prompt_tokens, completion_tokens, total_tokens } = sum;
  const cost = (name: 'prompt_cost' | 'completion_cost' | 'total_cost') =>
    sum[`${name}_count`] === 0 ? null : sum[name];
  const rate = (count: number) => (run_count === 0 ? null : count / run_count);
  const streamed = Object.values(sum.first_token).reduce((total, count) => total + count, 0);
  return {
    run_count,
    latency_p50: percentileOf(sum.latency, 0.5) ?? null,
    latency_p99: percentileOf(sum.latency, 0.99) ?? null,
    first_token_p50: percentileOf(sum.first_token, 0.5) ?? null,
    first_token_p99: percentileOf(sum.first_token, 0.99) ?? null,
    error_rate: rate(sum.error_count),
    streaming_rate: rate(streamed),
    last_run_start_time: last_run_start_time ?? null,
    prompt_tokens,
    completion_tokens,
    total_tokens,
    prompt_cost: cost('prompt_cost'),
    completion_cost: cost('completion_cost'),
    total_cost: cost('total_cost'),
  };
}
