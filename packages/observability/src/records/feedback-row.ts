/** Feedback on a run, or on a whole project where it names no run, as its row in SQL. Instants are ISO text. */
export interface FeedbackRow {
  readonly workspace_id: string;
  readonly feedback_id: string;
  readonly run_id: string | null;
  readonly key: string;
  readonly score: number | null;
  readonly value: unknown;
  readonly comment: string | null;
  readonly correction: unknown;
  readonly source_type: string;
  readonly source: Readonly<Record<string, unknown>>;
  readonly user_id: string | null;
  readonly feedback_group_id: string | null;
  readonly comparative_experiment_id: string | null;
  readonly error: boolean;
  readonly extra: Readonly<Record<string, unknown>> | null;
  readonly created_at: string;
  readonly modified_at: string;
  /** The trace as it was sent; once the run exists, the run's. */
  readonly trace_id: string | null;
  readonly session_id: string | null;
}

/** Feedback, and the values copied from its run. */
export interface PlacedFeedback extends FeedbackRow {
  /** Null until the run exists. */
  readonly start_time: string | null;
  readonly thread_id: string | null;
  readonly is_root: boolean;
}

/** The statistics of feedback under one key. */
export interface KeyStats {
  readonly n: number;
  readonly avg: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** The standard deviation of a sample; null for fewer than two scores. */
  readonly stdev: number | null;
  readonly errors: number;
  /** The number of times that each label was given. */
  readonly values: Readonly<Record<string, number>>;
  /** Some comments, for single runs only. */
  readonly comments: readonly string[];
  readonly sources: readonly unknown[];
  readonly contains_thread_feedback: boolean;
}

/** The statistics by key. */
export type FeedbackStats = Readonly<Record<string, KeyStats>>;
