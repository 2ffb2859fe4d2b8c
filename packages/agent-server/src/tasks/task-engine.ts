import type { AuthUser, GraphDescription } from '@roadstead/contracts/host';
import type { Task, TaskEvent, TaskMessage } from './task.ts';

/** What the A2A endpoint needs of the engine. Every `Task` and `TaskEvent` it hands out is committed. */
export interface TaskEngine {
  /** The graph of an assistant, by assistant id or graph id, in the active revision; undefined when there is none. */
  assistant(assistant_or_graph_id: string): Assistant | undefined;
  /** The assistants of the active revision, in the order of `langgraph.json`. */
  assistants(): readonly Assistant[];

  /** A task of this principal and assistant. */
  task(owner: Owner, task_id: string): Promise<Task | undefined>;
  /**
   * Inserts task and run in one transaction and answers the committed task: `submitted`, or `working` when a host has
   * it already. A context that the owner never used begins one. When the context's thread is busy the run waits for it.
   * The same message again (same id and digest) answers the task that it made; another one of its id is refused.
   */
  begin(owner: Owner, request: BeginTask): Promise<Task>;
  /**
   * Goes on with an interrupted task, with `value` for the first open interrupt; answers the committed task. Undefined
   * when it isn't interrupted any more (somebody else was faster).
   */
  resume(owner: Owner, request: ResumeTask): Promise<Task | undefined>;

  /** Committed events after `after_seq`, in order, ending with one whose state is terminal or interrupted. */
  events(task_id: string, after_seq: number, signal: AbortSignal): AsyncIterable<TaskEvent>;
  /** Waits until the task is terminal or interrupted. */
  settled(task_id: string, signal: AbortSignal): Promise<Task>;
}

export interface Assistant {
  readonly assistant_id: string;
  readonly graph: GraphDescription;
}

/** The owner of the tasks, who alone sees them. */
export interface Owner {
  /** As `Caller.principal` has it: for API keys `workspace:{id}`. */
  readonly principal: string;
  readonly assistant_id: string;
  /** Who the deployment's own `auth` says it is: graphs may ask. */
  readonly user?: AuthUser;
  /** What marks the threads that it begins. */
  readonly thread_metadata?: Readonly<Record<string, unknown>>;
}

export interface BeginTask {
  /** As the client sent it; undefined makes a new context. */
  readonly context_id: string | undefined;
  /** Of the message's content: the same id with another content is refused. */
  readonly digest: string;
  readonly message: TaskMessage;
  /** The graph's input: `messages` from text parts, data parts merged in. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether somebody reads chunks as they come. */
  readonly stream: boolean;
  /** The tracing thread, where the client names one (top-level `metadata.thread_id`); else the context's id. */
  readonly tracing_thread_id: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ResumeTask {
  readonly task_id: string;
  /** The `seq` of the snapshot that was answered: a task that has gone on since then isn't resumed. */
  readonly seen_seq?: number;
  readonly message: TaskMessage;
  readonly value: unknown;
  readonly stream: boolean;
  readonly tracing_thread_id: string | undefined;
}
