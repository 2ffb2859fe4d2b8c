/** A tracing project as SQL has it; the wire calls projects sessions. Instants as ISO text with microseconds. */
export interface SessionRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly extra: Record<string, unknown> | null;
  readonly start_time: string;
  readonly end_time: string | null;
  readonly default_dataset_id: string | null;
  readonly reference_dataset_id: string | null;
  readonly trace_tier: string | null;
  /** Whether it is the project of an agent's environment. */
  readonly is_agent: boolean;
  /** Of an experiment: what is expected of it. */
  readonly num_examples: number | null;
  readonly num_repetitions: number | null;
  readonly evaluator_keys: readonly string[] | null;
  /** Of an experiment: who began it, as the client says. */
  readonly kicked_off_by: string | null;
  /** Of an experiment: which one of its dataset it is, from 1. */
  readonly test_run_number: number | null;
}

/** What a project is for, as the second generation of the API says. */
export type SessionType = 'PROJECT' | 'AGENT' | 'EXPERIMENT';

export const typeOf = ({
  reference_dataset_id,
  is_agent,
}: Pick<SessionRow, 'reference_dataset_id' | 'is_agent'>): SessionType =>
  reference_dataset_id === null ? (is_agent ? 'AGENT' : 'PROJECT') : 'EXPERIMENT';

/** What the root runs of a project say of it; times in seconds, costs as decimal text. */
export interface SessionStats {
  readonly run_count: number;
  readonly latency_p50: number | null;
  readonly latency_p99: number | null;
  readonly first_token_p50: number | null;
  readonly first_token_p99: number | null;
  readonly error_rate: number | null;
  readonly streaming_rate: number | null;
  readonly last_run_start_time: string | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_cost: string | null;
  readonly completion_cost: string | null;
  readonly total_cost: string | null;
}

/** How many of the newest runs say this. */
export interface Facet {
  readonly key: string;
  readonly value: string;
  readonly n: number;
}
