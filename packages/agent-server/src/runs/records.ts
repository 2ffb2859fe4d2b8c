import type { AuthUser, HostError, RunInterrupt } from '@roadstead/contracts/host';
import type { MultitaskStrategy, NewRun, RunEnd, RunEvent, RunKwargs, TaskRow } from './run.ts';

/** The writes of the engine, as data: `begin-store.ts` and `write-store.ts` turn many of them into one statement. */

/** A run that is to be put into the queue. */
export interface BeginRecord {
  readonly run: RunRow;
  readonly thread: NewRun['thread'];
  readonly task: NewRun['task'];
}

/** The writes at the end of a run. */
export interface FinishRecord {
  readonly run_id: string;
  readonly attempt: number;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly status: RunEnd['status'];
  readonly error: HostError | null;
  readonly has_checkpoint: boolean;
  /**
   * Whether it ends as a run that is rolled back; the statement refuses the end where the run's row says the contrary.
   */
  readonly undone: boolean;
  /** The state in which it leaves the thread; null: unchanged. */
  readonly thread: {
    readonly status: 'idle' | 'interrupted' | 'error';
    readonly interrupts: readonly RunInterrupt[];
    /** Why the run failed, or was cancelled. */
    readonly error: HostError | null;
    /** Absent where the run did not report the final state. */
    readonly values?: unknown;
  } | null;
  readonly task: TaskRow | null;
  readonly events: readonly RunEvent[];
}

/** An unfinished run as the database holds it. */
export interface RunRow {
  readonly run_id: string;
  readonly thread_id: string;
  readonly task_id: string | null;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly revision_id: string;
  readonly principal: string;
  readonly user: AuthUser | null;
  readonly attempt: number;
  readonly kwargs: RunKwargs;
  readonly chunks: boolean;
  readonly plain: boolean;
  readonly values: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly multitask_strategy: MultitaskStrategy;
  /** ISO 8601; null: at once. */
  readonly not_before: string | null;
  readonly cancel: CancelRecord | null;
  readonly traceparent: string | null;
  readonly seq_before: number;
  readonly created_at: string;
}

export interface CancelRecord {
  readonly action: 'interrupt' | 'rollback';
  readonly reason: string;
}
