import type { AuthUser } from '@roadstead/contracts/host';
import type { ServedAssistant } from '../engine/served-revision.ts';
import type { Reader } from '../runs/run.ts';
import type { Task, TaskEvent, TaskMessage, TaskState } from './task.ts';

/** The part of the engine that the A2A endpoint needs. Every `Task` and `TaskEvent` it hands out is committed. */
export interface TaskEngine {
  /**
   * Finds an assistant by its id or graph id: a graph's own, or one that a client made; undefined where its graph is
   * not served.
   */
  assistant(assistant_or_graph_id: string): Promise<ServedAssistant | undefined>;
  /** The assistants of the active revision's graphs, in the order of `langgraph.json`. */
  assistants(): readonly ServedAssistant[];

  /** A task of this principal and assistant that reflects exactly the events up to its `seq`. */
  task(owner: Owner, task_id: string): Promise<Task | undefined>;
  /** A page of the owner's tasks, those whose status is the newest first. */
  list(owner: Owner, query: TaskQuery): Promise<TaskPage>;
  /** The owner's tasks of a context that began before one of them, the newest first. */
  earlier(owner: Owner, query: EarlierQuery): Promise<EarlierTasks>;
  /**
   * Inserts task and run in one transaction and answers the committed task: `submitted`, or `working` when a host has
   * it already. A context that the owner never used is begun. When the context's thread is busy the run waits for it.
   * The same message again (same `message_id` and `digest`) answers the task that it made.
   * @throws Problem `invalid` when the id was used for another message
   */
  begin(owner: Owner, request: BeginTask): Promise<Task>;
  /**
   * Continues an interrupted task, with `value` for the first open interrupt; answers the committed task. Undefined
   * when it is no longer interrupted (another caller was faster).
   */
  resume(owner: Owner, request: ResumeTask): Promise<Task | undefined>;
  /**
   * Ends an unfinished task, and answers it once it has ended: `canceled`, or as it ended meanwhile. Undefined when the
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
  /** The same as `Caller.principal`: for API keys `workspace:{id}`. */
  readonly principal: string;
  readonly assistant_id: string;
  /** The user whom the deployment's own `auth` names: graphs may read it. */
  readonly user?: AuthUser;
  /** The JSON that the metadata of a task's thread must contain for the owner to reach the task; any by default. */
  readonly within?: Readonly<Record<string, unknown>>;
  /** The metadata with which it marks the threads that it begins. */
  readonly thread_metadata?: Readonly<Record<string, unknown>>;
}

/** The origin of a run: facts of the call that asks for it. */
export interface RunOrigin {
  /** W3C Trace Context. */
  readonly traceparent: string | undefined;
  /** The headers of the call that the graph may read. */
  readonly configurable: Readonly<Record<string, string>>;
}

export interface BeginTask {
  readonly origin?: RunOrigin;
  /** The context that the client sent; undefined makes a new one. */
  readonly context_id: string | undefined;
  readonly message: TaskMessage;
  /** A digest of what the client sent under the message's id. */
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
  /** The `seq` of the snapshot that the client answered: a task that has changed since then is not resumed. */
  readonly seen_seq?: number;
  readonly message: TaskMessage;
  readonly value: unknown;
  readonly stream: boolean;
  readonly tracing_thread_id: string | undefined;
}

export interface TaskQuery {
  readonly context_id?: string | undefined;
  readonly state?: TaskState | undefined;
  /** The earliest time of a task's status; ISO 8601. */
  readonly since?: string | undefined;
  /** The place where the page before ended. */
  readonly after?: TaskPlace | undefined;
  readonly limit: number;
  /** Whether to include histories; else they are empty lists. */
  readonly with_history: boolean;
  readonly with_artifacts: boolean;
}

export interface EarlierQuery {
  readonly context_id: string;
  /** The id of a task; ids rise with time. */
  readonly before: string;
  /** The most text of clients and agents that they may hold together; one task may be larger alone. */
  readonly max_length: number;
}

export type EarlierTasks = Pick<TaskPage, 'tasks' | 'has_more'>;

/** The place of a task among others: by the time of its status. */
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
