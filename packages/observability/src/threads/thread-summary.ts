/** The totals of turns; instants as ISO text, times in seconds, sums as decimal text. */
interface TurnTotals {
  readonly turns: number;
  readonly finished: number;
  readonly errors: number;
  /** The number of turns whose first token is known. */
  readonly streamed: number;
  readonly first_start_time: string | null;
  readonly last_start_time: string | null;
  readonly last_end_time: string | null;
  readonly latency_p50: number | null;
  readonly latency_p99: number | null;
  readonly first_token_p50: number | null;
  readonly first_token_p99: number | null;
  readonly median_tokens: number | null;
  readonly prompt_tokens: string | null;
  readonly completion_tokens: string | null;
  readonly total_tokens: string | null;
  readonly prompt_cost: string | null;
  readonly completion_cost: string | null;
  readonly total_cost: string | null;
  readonly prompt_token_details: Readonly<Record<string, number>>;
  readonly completion_token_details: Readonly<Record<string, number>>;
  readonly prompt_cost_details: Readonly<Record<string, number>>;
  readonly completion_cost_details: Readonly<Record<string, number>>;
}

/** The totals of one thread. */
export interface ThreadSummary extends TurnTotals {
  readonly first_inputs: string | null;
  readonly last_outputs: string | null;
  readonly last_error: string | null;
  readonly first_trace_id: string | null;
  readonly last_trace_id: string | null;
}

/** The totals of several threads. */
export interface ThreadTotals extends TurnTotals {
  readonly threads: number;
}

/** The totals of a thread without turns. */
export const noTurns: ThreadSummary = {
  turns: 0,
  finished: 0,
  errors: 0,
  streamed: 0,
  first_start_time: null,
  last_start_time: null,
  last_end_time: null,
  latency_p50: null,
  latency_p99: null,
  first_token_p50: null,
  first_token_p99: null,
  median_tokens: null,
  prompt_tokens: null,
  completion_tokens: null,
  total_tokens: null,
  prompt_cost: null,
  completion_cost: null,
  total_cost: null,
  prompt_token_details: {},
  completion_token_details: {},
  prompt_cost_details: {},
  completion_cost_details: {},
  first_inputs: null,
  last_outputs: null,
  last_error: null,
  first_trace_id: null,
  last_trace_id: null,
};
