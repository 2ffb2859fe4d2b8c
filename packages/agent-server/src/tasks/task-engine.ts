import type { AuthUser } from '@roadstead/contracts/host';
import type { ServedAssistant } from '../engine/serving.ts';
import type { Reader } from '../runs/run.ts';
import type { Task, TaskEvent, TaskMessage, TaskState } from './task.ts';

/** What the A2A endpoint needs of the engine. Every `Task` and `TaskEvent` it hands out is committed. */
export interface TaskEngine {
  /** By assistant id or graph id: a graph's own, or one that a client made; undefined where no graph of it is served. */
  assistant(assistant_or_graph_id: string): Promise<ServedAssistant | undefined>;
  /** Those that the graphs of the active revision have of their own, in the order of `langgraph.json`. */
  assistants(): readonly ServedAssistant[];

  /** A task of this principal and assistant, with exactly what the events up to its `seq` say. */
  task(owner: Owner, task_id: string): Promise<Task | undefined>;
  /** A page of the owner's tasks, those whose status is the newest first. */
  list(owner: Owner, query: TaskQuery): Promise<TaskPage>;
  /** The owner's tasks of a context that began before one of them, the newest first. */
  earlier(owner: Owner, query: EarlierQuery): Promise<EarlierTasks>;
  /**
   * Inserts task and run in one transaction and answers the committed task: `submitted`, or `working` when a host has
   * it already. A context that the owner never used begins one. When the context's thread is busy the run waits for it.
   * The same message again (same `message_id` and `digest`) answers the task that it made.
   * @throws Problem `invalid` when the id was used for another message
   */
  begin(owner: Owner, request: BeginTask): Promise<Task>;
  /**
   * Goes on with an interrupted task, with `value` for the first open interrupt; answers the committed task. Undefined
   * when it isn't interrupted any more (somebody else was faster).
   */
  resume(owner: Owner, request: ResumeTask): Promise<Task | undefined>;
  /**
   * Ends a task that has not ended, and answers it once it has: `canceled`, or as it ended meanwhile. Undefined when the
   * owner has no such task.
   */
  cancel(owner: Owner, task_id: string, signal: AbortSignal): Promise<Task | undefined>;

  /** Committed events after `after_seq`, in order, ending with one whose state is terminal. */
  events(task_id: string, after_seq: number, reader: Reader): AsyncIterable<TaskEvent>;
  /** Waits until the task is terminal or interrupted. */
  settled(task_id: string, signal: AbortSignal): Promise<Task>;
}

/** The owner of the tasks, who alone sees them. */
export interface Owner {
  /** As `Caller.principal` has it: for API keys `workspace:{id}`. */
  readonly principal: string;
  readonly assistant_id: string;
  /** Who the deployment's own `auth` says it is: graphs may ask. */
  readonly user?: AuthUser;
  /** What the metadata of a task's thread must contain for the owner to reach the task; everything by default. */
  readonly within?: Readonly<Record<string, unknown>>;
  /** What marks the threads that it begins. */
  readonly thread_metadata?: Readonly<Record<string, unknown>>;
}

/** Of the call that asks for a run. */
export interface RunOrigin {
  /** W3C Trace Context. */
  readonly traceparent: string | undefined;
  /** What of its headers the graph may read. */
  readonly configurable: Readonly<Record<string, string>>;
}

export interface BeginTask {
  readonly origin?: RunOrigin;
  /** As the client sent it; undefined makes a new context. */
  readonly context_id: string | undefined;
  readonly message: TaskMessage;
  /** Of what the client sent under the message's id. */
  readonly digest: string;
  /** The graph's input: `messages` from text parts, data parts merged in. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether somebody reads chunks as they come. */
  readonly stream: boolean;
  /** The tracing thread, where the client names one (top-level `metadata.thread_id`); else the context's id. */
  readonly tracing_thread_id: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ResumeTask {
  readonly origin?: RunOrigin;
  readonly task_id: string;
  /** The `seq` of the snapshot that was answered: a task that has gone on since then isn't resumed. */
  readonly seen_seq?: number;
  readonly message: TaskMessage;
  readonly value: unknown;
  readonly stream: boolean;
  readonly tracing_thread_id: string | undefined;
}

export interface TaskQuery {
  readonly context_id?: string | undefined;
  readonly state?: TaskState | undefined;
  /** Whose status is not older; ISO 8601. */
  readonly since?: string | undefined;
  /** Where the page before ended. */
  readonly after?: TaskPlace | undefined;
  readonly limit: number;
  /** What is left out comes as an empty list. */
  readonly with_history: boolean;
  readonly with_artifacts: boolean;
}

export interface EarlierQuery {
  readonly context_id: string;
  /** The id of a task; ids rise with time. */
  readonly before: string;
  /** What they may hold together of what clients and agents wrote; one may be larger alone. */
  readonly max_length: number;
}

export type EarlierTasks = Pick<TaskPage, 'tasks' | 'has_more'>;

/** Where a task stands among others: by the time of its status. */
export interface TaskPlace {
  readonly at: string;
  readonly task_id: string;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  /** How many tasks there are on all pages. */
  readonly total: number;
  /** Whether more follow. */
  readonly has_more: boolean;
}
