/**
 * A tracing project as its row in SQL; on the wire projects are called sessions. Instants are ISO text with
 * microseconds.
 */
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
  /** The expected number of examples of an experiment. */
  readonly num_examples: number | null;
  readonly num_repetitions: number | null;
  readonly evaluator_keys: readonly string[] | null;
  /** The person who began an experiment, as the client names them. */
  readonly kicked_off_by: string | null;
  /** The number of an experiment within its dataset, from 1. */
  readonly test_run_number: number | null;
}

/** The purpose of a project, as the second generation of the API names it. */
export type SessionType = 'PROJECT' | 'AGENT' | 'EXPERIMENT';

export const typeOf = ({
  reference_dataset_id,
  is_agent,
}: Pick<SessionRow, 'reference_dataset_id' | 'is_agent'>): SessionType =>
  reference_dataset_id === null ? (is_agent ? 'AGENT' : 'PROJECT') : 'EXPERIMENT';

/** The statistics of a project's root runs; times in seconds, costs as decimal text. */
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

/** A value, and the number of the newest runs that have it. */
export interface Facet {
  readonly key: string;
  readonly value: string;
  readonly n: number;
}
