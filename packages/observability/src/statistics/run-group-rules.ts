import type { RunGroupQuery, RunStats } from '@roadstead/contracts/observability';
import { instantOf, naive } from '../values/instant-rules.ts';
import { costNumber } from '../reading/run-answer-rules.ts';
import type { SummedThread } from '../threads/thread-rules.ts';
import type { ThreadTotals } from '../threads/thread-summary.ts';

/** Groups of root runs by conversation, as the first generation of the API makes them. */

export const scopeOf = ({ session_id, filter, start_time, end_time }: RunGroupQuery) => ({
  project_id: session_id,
  filter,
  min_start_time: instantOf(start_time),
  max_start_time: instantOf(end_time),
});

export function groupAnswer({ thread_id, summary, feedback }: SummedThread) {
  return {
    group_key: thread_id,
    thread_id,
    filter: `eq(thread_id, ${JSON.stringify(thread_id)})`,
    count: summary.turns,
    total_tokens: Number(summary.total_tokens),
    total_cost: costNumber(summary.total_cost),
    min_start_time: naive(summary.first_start_time),
    max_start_time: naive(summary.last_start_time),
    latency_p50: summary.latency_p50,
    latency_p99: summary.latency_p99,
    feedback_stats: feedback,
    first_inputs: summary.first_inputs,
    last_outputs: summary.last_outputs,
    last_error: summary.last_error,
  };
}

export function groupStatsAnswer(totals: ThreadTotals): RunStats & { readonly group_count: number } {
  const rate = (count: number) => (totals.turns === 0 ? null : count / totals.turns);
  return {
    group_count: totals.threads,
    run_count: totals.turns,
    error_rate: rate(totals.errors),
    streaming_rate: rate(totals.streamed),
    last_run_start_time: naive(totals.last_start_time),
    latency_p50: totals.latency_p50,
    latency_p99: totals.latency_p99,
    first_token_p50: totals.first_token_p50,
    first_token_p99: totals.first_token_p99,
    median_tokens: totals.median_tokens === null ? null : Math.round(totals.median_tokens),
    prompt_tokens: Number(totals.prompt_tokens),
    completion_tokens: Number(totals.completion_tokens),
    total_tokens: Number(totals.total_tokens),
    prompt_cost: costNumber(totals.prompt_cost),
    completion_cost: costNumber(totals.completion_cost),
    total_cost: costNumber(totals.total_cost),
    prompt_token_details: { ...totals.prompt_token_details },
    completion_token_details: { ...totals.completion_token_details },
    prompt_cost_details: { ...totals.prompt_cost_details },
    completion_cost_details: { ...totals.completion_cost_details },
  };
}
