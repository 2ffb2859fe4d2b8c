import type { AuthUser, HostError, RunInterrupt } from '@roadstead/contracts/host';
import type { MultitaskStrategy, NewRun, RunEnd, RunEvent, RunKwargs, TaskRow } from './run.ts';

/** What the engine writes, as data: `begin-store.ts` and `write-store.ts` turn many of them into one statement. */

/** A run as it is put into the queue. */
export interface BeginRecord {
  readonly run: RunRow;
  readonly thread: NewRun['thread'];
  readonly task: NewRun['task'];
}

/** What a run's end leaves behind. */
export interface FinishRecord {
  readonly run_id: string;
  readonly attempt: number;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly status: RunEnd['status'];
  readonly error: HostError | null;
  readonly has_checkpoint: boolean;
  /** Whether it ends as a run that is rolled back: it does not end so, or otherwise, where its row says the contrary. */
  readonly undone: boolean;
  /** How the thread is left; null: as it was. */
  readonly thread: {
    readonly status: 'idle' | 'interrupted' | 'error';
    readonly interrupts: readonly RunInterrupt[];
    /** Why the run failed, or was cancelled. */
    readonly error: HostError | null;
    /** Absent where the run did not bring the state. */
    readonly values?: unknown;
  } | null;
  readonly task: TaskRow | null;
  readonly events: readonly RunEvent[];
}

/** An unfinished run as it stands in the database. */
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
