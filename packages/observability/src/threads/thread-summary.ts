/** What turns add up to; instants as ISO text, times in seconds, sums as decimal text. */
interface TurnTotals {
  readonly turns: number;
  readonly finished: number;
  readonly errors: number;
  /** Turns of which a first token is known. */
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

/** Of one thread. */
export interface ThreadSummary extends TurnTotals {
  readonly first_inputs: string | null;
  readonly last_outputs: string | null;
  readonly last_error: string | null;
  readonly first_trace_id: string | null;
  readonly last_trace_id: string | null;
}

/** Of several threads. */
export interface ThreadTotals extends TurnTotals {
  readonly threads: number;
}
