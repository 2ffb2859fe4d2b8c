import type { RunStatus } from '@roadstead/contracts/agent-server';
import type {
  AuthUser,
  CheckpointRef,
  HostError,
  HostEvent,
  Resumption,
  RunCommand,
  RunInterrupt,
  StreamMode,
} from '@roadstead/contracts/host';

/**
 * A run: one execution of a graph on a thread, from its input (or command, or answer) to its end. It is `pending` until
 * a graph host has it, `running` from then on, and ends once. When its host dies or drains, it is tried again as a new
 * attempt.
 */
export interface Run {
  readonly run_id: string;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly graph_id: string;
  /** The revision whose hosts have it, or had it. */
  readonly revision_id: string;
  readonly attempt: number;
  readonly status: RunStatus;
  /** The A2A task that it belongs to. */
  readonly task_id: string | null;
  readonly principal: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly kwargs: RunKwargs;
  readonly multitask_strategy: MultitaskStrategy;
  readonly error: HostError | null;
  /** ISO 8601. */
  readonly created_at: string;
  readonly updated_at: string;
}

export type MultitaskStrategy = 'enqueue' | 'reject' | 'interrupt' | 'rollback';

/** The request of a run, in the names of the LangGraph API. */
export interface RunKwargs {
  readonly input?: unknown;
  readonly command?: RunCommand;
  /** The answer to one open question, of an A2A client. */
  readonly resume?: Resumption;
  readonly checkpoint?: CheckpointRef;
  readonly config?: {
    readonly tags?: readonly string[];
    readonly recursion_limit?: number;
    readonly configurable?: Readonly<Record<string, unknown>>;
  };
  readonly context?: unknown;
  /** Names in the context that come from `configurable` only. */
  readonly configured?: readonly string[];
  readonly interrupt_before?: '*' | readonly string[];
  readonly interrupt_after?: '*' | readonly string[];
  readonly stream_mode?: readonly StreamMode[];
  readonly stream_subgraphs?: boolean;
  readonly stream_resumable?: boolean;
  readonly durability?: 'sync' | 'async' | 'exit';
  readonly webhook?: string;
  readonly feedback_keys?: readonly string[];
  /** The thread goes when the run has ended. */
  readonly temporary?: boolean;
  /** The project that the run is traced to beside the deployment's own, and the example that it answers there. */
  readonly langsmith_tracer?: { readonly project_name: string; readonly example_id?: string };
}

/** A reader of the events of a run, or of a task. */
export interface Reader {
  /** Aborted when it reads no more. */
  readonly signal: AbortSignal;
  /**
   * Called when it is 8 MB behind: its events end there, with a Problem. A reader without this reads at its own pace.
   */
  readonly onBehind?: (() => void) | undefined;
}

/** A report of a run that is under way. It is committed before anybody sees it. Numbers rise, with gaps. */
export type RunEvent = { readonly seq: number; readonly at: string } & RunReport;

export type RunReport =
  /** An attempt is under way. */
  { readonly kind: 'started'; readonly attempt: number } | HostEvent | ({ readonly kind: 'end' } & RunEnd);

export interface RunEnd {
  readonly status: Exclude<RunStatus, 'pending' | 'running'>;
  /** Why it was cancelled, in words. */
  readonly reason?: string;
  readonly error?: RunError;
  readonly interrupts: readonly RunInterrupt[];
  /** The nodes that would run next, where the graph stopped before its end. */
  readonly next?: readonly string[] | undefined;
  /** The part of the final state that the graph's output schema names. */
  readonly output?: unknown;
}

interface RunError {
  readonly name: string;
  /** The text for its caller. */
  readonly message: string;
  /** The A2A task's state after it; `failed` by default. */
  readonly state?: 'failed' | 'rejected';
}

/** The end of a run, for those who wait for it. */
export interface EndedRun {
  readonly run: Pick<Run, 'run_id' | 'thread_id' | 'assistant_id' | 'task_id' | 'principal'> &
    Partial<Pick<Run, 'kwargs'>>;
  readonly end: RunEnd;
  /** The thread's state after it, where the run reported it. */
  readonly values?: unknown;
  /** Its task at the end, where it has one. */
  readonly task?: TaskProjection | undefined;
}

/** A run to be created; see `Runs.create`. */
export interface NewRun {
  /** Drawn where it is absent. */
  readonly run_id?: string;
  readonly thread: ThreadSeed;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly principal: string;
  readonly user?: AuthUser | undefined;
  readonly kwargs: RunKwargs;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly multitask_strategy: MultitaskStrategy;
  /** The delay before it begins. */
  readonly after_ms?: number;
  /** Whether pieces of model output are wanted as they come: `chunk` events. */
  readonly chunks: boolean;
  /** Whether whole messages are wanted: `message` events. */
  readonly plain: boolean;
  /** Whether the final state is wanted. */
  readonly values: boolean;
  readonly traceparent?: string | undefined;
  /** The task that begins or continues with it, written in the same commit. */
  readonly task?: NewRunTask | undefined;
}

/** A projection of a run, an A2A task: a fold over the run's events, written with its end. */
export interface TaskProjection {
  /** The task after these events; the same value where they mean nothing to it. */
  fold(events: readonly RunEvent[]): TaskProjection;
  readonly row: TaskRow;
}

/** A task as it is stored. */
export interface TaskRow {
  readonly task_id: string;
  /** Its `state` is a task state; the rest is the tasks' own. */
  readonly status: { readonly state: string; readonly at: string };
  readonly history: readonly unknown[];
  readonly artifacts: readonly unknown[];
  /** The number of the last event that it includes. */
  readonly seq: number;
}

export interface NewRunTask {
  readonly projection: TaskProjection;
  /** Set where a task begins; its message is taken once. */
  readonly begin?: {
    readonly assistant_id: string;
    readonly context_id: string;
    /** Whether the context belongs to the thread from here on. */
    readonly new_context: boolean;
    readonly message_id: string;
    /** A digest of the message's content. */
    readonly digest: string;
  };
  /** Set where a task that waited for an answer continues, provided that it is still as the client saw it. */
  readonly resume?: {
    readonly seen_seq: number;
    /** The owner on whose behalf the answer is taken. */
    readonly owner: { readonly principal: string; readonly assistant_id: string };
    readonly message_id: string;
  };
}

export interface ThreadSeed {
  readonly thread_id: string;
  /** The data of a thread that is made; absent where it exists. */
  readonly create?: { readonly metadata: Readonly<Record<string, unknown>>; readonly temporary?: boolean };
  /** Whether it has a checkpoint, where that is known. */
  readonly has_checkpoint?: boolean;
}
