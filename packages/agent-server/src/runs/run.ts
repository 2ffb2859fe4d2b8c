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
 * A run: one execution of a graph on a thread, from its input (or command, or answer) to its end. It is `pending` until a
 * graph host has it, `running` from then on, and ends once; a host that dies or drains gives it back, and it is tried
 * again as a new attempt.
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

/** What a run was asked to do, as the LangGraph API names it. */
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
  /** Names in the context that only `configurable` says. */
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

/** Who follows a run, or a task. */
export interface Reader {
  /** Aborted when it reads no more. */
  readonly signal: AbortSignal;
  /** Told when it is 8 MB behind: its events end there, with a Problem. One that can't be told reads at its own pace. */
  readonly onBehind?: (() => void) | undefined;
}

/** What of a run is told while it is under way; committed before anybody hears of it. Numbers rise, with gaps. */
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
  /** The nodes that would be next, where the graph stopped before its end. */
  readonly next?: readonly string[] | undefined;
  /** What the graph's output schema shows of the final state. */
  readonly output?: unknown;
}

interface RunError {
  readonly name: string;
  /** What its caller may read. */
  readonly message: string;
  /** What kind of end it is for an A2A task; `failed` where nothing is said. */
  readonly state?: 'failed' | 'rejected';
}

/** The end of a run for who waits for it. */
export interface EndedRun {
  readonly run: Pick<Run, 'run_id' | 'thread_id' | 'assistant_id' | 'task_id' | 'principal'> &
    Partial<Pick<Run, 'kwargs'>>;
  readonly end: RunEnd;
  /** The thread's state after it, where the run brought it. */
  readonly values?: unknown;
  /** Its task at the end, where it has one. */
  readonly task?: TaskProjection | undefined;
}

/** A run to be created; see `Runs.create`. */
export interface NewRun {
  /** Made where it isn't given. */
  readonly run_id?: string;
  readonly thread: ThreadSeed;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly principal: string;
  readonly user?: AuthUser | undefined;
  readonly kwargs: RunKwargs;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly multitask_strategy: MultitaskStrategy;
  /** Not to begin before so many milliseconds have passed. */
  readonly after_ms?: number;
  /** Whether pieces of model output are wanted as they come: `chunk` events. */
  readonly chunks: boolean;
  /** Whether whole messages are wanted: `message` events. */
  readonly plain: boolean;
  /** Whether the final state is wanted. */
  readonly values: boolean;
  readonly traceparent?: string | undefined;
  /** The task that begins or goes on with it, written in the same commit. */
  readonly task?: NewRunTask | undefined;
}

/** What is kept of a run beside itself, an A2A task: a fold over the run's events, written with its end. */
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
  /** Of the last event that it holds. */
  readonly seq: number;
}

export interface NewRunTask {
  readonly projection: TaskProjection;
  /** A task that begins; its message is taken once. */
  readonly begin?: {
    readonly assistant_id: string;
    readonly context_id: string;
    /** The context is the thread's from here on. */
    readonly new_context: boolean;
    readonly message_id: string;
    /** Of the message's content. */
    readonly digest: string;
  };
  /** A task that waited for an answer goes on, if it stands where the client saw it. */
  readonly resume?: {
    readonly seen_seq: number;
    /** Of the answer, for which it is taken. */
    readonly owner: { readonly principal: string; readonly assistant_id: string };
    readonly message_id: string;
  };
}

export interface ThreadSeed {
  readonly thread_id: string;
  /** What it is made of where it is not there yet; absent: it is there. */
  readonly create?: { readonly metadata: Readonly<Record<string, unknown>>; readonly temporary?: boolean };
  /** Whether it has a checkpoint, where that is known. */
  readonly has_checkpoint?: boolean;
}
