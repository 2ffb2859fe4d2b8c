/** What was said of a run, or of a whole project where no run is named, as SQL has it. Instants as ISO text. */
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
  /** As it was said; of a run that is there, the run's. */
  readonly trace_id: string | null;
  readonly session_id: string | null;
}

/** Feedback and what it has from its run. */
export interface PlacedFeedback extends FeedbackRow {
  /** Null until the run is there. */
  readonly start_time: string | null;
  readonly thread_id: string | null;
  readonly is_root: boolean;
}

/** What there is of feedback under one key. */
export interface KeyStats {
  readonly n: number;
  readonly avg: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Of a sample; null of fewer than two scores. */
  readonly stdev: number | null;
  readonly errors: number;
  /** How often each label was given. */
  readonly values: Readonly<Record<string, number>>;
  /** Some of them; of single runs only. */
  readonly comments: readonly string[];
  readonly sources: readonly unknown[];
  readonly contains_thread_feedback: boolean;
}

/** By key. */
export type FeedbackStats = Readonly<Record<string, KeyStats>>;
