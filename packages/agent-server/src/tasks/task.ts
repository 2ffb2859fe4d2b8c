import { type TaskState, taskFlow } from '@roadstead/contracts/agent-server';

/**
 * The task model that both A2A codecs share. Names are ours; protocol versions differ only in
 * the codecs.
 */

export type { TaskState } from '@roadstead/contracts/agent-server';

export type Part = Content & {
  /** The media type of a file, or a more specific one of text and data. */
  readonly media_type?: string;
  readonly name?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Whether the names in its data are ours, so that each version of the protocol writes them its way. */
  readonly ours?: true;
};

type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'file'; readonly file: FileContent };

/** The content in base64, or its address. */
export type FileContent = { readonly bytes: string } | { readonly uri: string };

export interface TaskMessage {
  readonly message_id: string;
  readonly role: 'user' | 'agent';
  readonly parts: readonly Part[];
  readonly reference_task_ids?: readonly string[];
  /** Set where it is shown in the history of another task. */
  readonly task_id?: string;
  /** The client's own for a message of the user, else with our names. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: TaskMessage;
  /** ISO 8601 in UTC, milliseconds. */
  readonly at: string;
}

export interface Artifact {
  readonly artifact_id: string;
  readonly name?: string;
  readonly parts: readonly Part[];
  /** Whether the graph wants it sent as a message instead of a task. */
  readonly by_itself?: true;
}

export interface Task {
  readonly id: string;
  readonly context_id: string;
  readonly assistant_id: string;
  readonly status: TaskStatus;
  /** Messages of this task, oldest first. */
  readonly history: readonly TaskMessage[];
  /** The artifacts so far, the newest last. */
  readonly artifacts: readonly Artifact[];
  /** The sequence of the last event that this snapshot contains. */
  readonly seq: number;
}

/** A committed event; `seq` counts from 1 within its task and is the SSE id. */
export type TaskEvent =
  | { readonly seq: number; readonly kind: 'status'; readonly status: TaskStatus }
  | {
      readonly seq: number;
      readonly kind: 'artifact';
      readonly artifact: Artifact;
      /** Adds to the artifact of this id instead of being it. */
      readonly append: boolean;
      readonly last_chunk: boolean;
    };

/** States that are final, and those in which the task waits for an answer. */
export const terminalStates = (Object.keys(taskFlow) as TaskState[]).filter(
  (state) => taskFlow[state].length === 0,
);
export const interruptedStates: readonly TaskState[] = ['input-required', 'auth-required'];

export function isTerminal(state: TaskState): boolean {
  return terminalStates.includes(state);
}

/** Whether a waiting client is answered: the task has ended or asks something. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || interruptedStates.includes(state);
}
