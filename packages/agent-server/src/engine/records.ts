import type { HostError, Resumption } from '@roadstead/contracts/host';
import type { Artifact, TaskEvent, TaskMessage, TaskStatus } from '../tasks/task.ts';

/** What the engine writes, as data: `commit-store.ts` turns many of them into one statement. */

/** A new task with its first run. */
export interface BeginRecord {
  readonly task_id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly new_thread: boolean;
  readonly principal: string;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly context_id: string;
  readonly context_key: string;
  readonly message_id: string;
  readonly revision_id: string;
  readonly input: unknown;
  readonly chunks: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly state: string;
  readonly status: TaskStatus;
  readonly history: readonly TaskMessage[];
}

/** A run that goes on with an interrupted task. */
export interface ResumeRecord {
  readonly task_id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly revision_id: string;
  readonly resume: Resumption;
  readonly chunks: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: TaskStatus;
  readonly history: readonly TaskMessage[];
  readonly seq: number;
  /** The sequence at which the answered question stood. */
  readonly seen_seq: number;
}

/** What a run's end leaves behind. */
export interface FinishRecord {
  readonly run_id: string;
  readonly attempt: number;
  readonly task_id: string;
  readonly thread_id: string;
  readonly status: 'success' | 'error' | 'interrupted';
  readonly error: HostError | null;
  readonly has_checkpoint: boolean;
  readonly interrupts: readonly { readonly id: string; readonly value: unknown }[];
  readonly task_status: TaskStatus;
  /** Absent where nothing was added. */
  readonly history?: readonly TaskMessage[];
  readonly artifacts: readonly Artifact[];
  readonly events: readonly TaskEvent[];
}

/** A run as it stands in the database. */
export interface RunRow {
  readonly run_id: string;
  readonly thread_id: string;
  readonly task_id: string;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly revision_id: string;
  readonly attempt: number;
  readonly input: unknown;
  readonly resume: Resumption | null;
  readonly chunks: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
}
