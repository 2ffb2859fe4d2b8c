import type { AuthResource, AuthUser, Authenticated, Authorized, RequestHead } from './auth.ts';
import type { AttemptRef } from './attempt.ts';
import type {
  CheckpointKey,
  CheckpointPut,
  CheckpointTuple,
  CheckpointWrites,
  DeltaHistory,
  DeltaHistoryKey,
  StoreOperation,
} from './checkpoints.ts';
import type { Manifest } from './manifest.ts';
import type {
  CheckpointRef,
  GraphDrawing,
  GraphSchemas,
  RunCommand,
  RunInterrupt,
  StateRef,
  StateUpdate,
  ThreadState,
} from './state.ts';

/**
 * What engine and graph host say to each other over the child's channel (file descriptor 3, a socket pair).
 *
 * A frame is `u32 total | u32 head | head (UTF-8 JSON) | blobs`, lengths big-endian; `total` counts what follows it,
 * `head` the JSON. The JSON is a `Head`; its `blobs` lists the byte lengths of the blobs that follow, in order.
 * A `BlobIndex` in a message points into that list. Bytes are opaque to the engine: the user's own copy of LangGraph
 * serialises them.
 *
 * Both sides may ask (a head with `id` and `method`), tell (`method` only) and answer (`re`, with `result` or
 * `error`). Frames of one direction are handled in order.
 */
export type Head =
  | {
      readonly id: number;
      readonly method: string;
      readonly params: unknown;
      readonly blobs?: readonly number[];
    }
  | { readonly method: string; readonly params: unknown; readonly blobs?: readonly number[] }
  | { readonly re: number; readonly result: unknown; readonly blobs?: readonly number[] }
  | { readonly re: number; readonly error: HostError; readonly blobs?: readonly number[] };

export interface HostError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** What can be done about it. */
  readonly hint?: string;
  /** The graph refused its input; the message is meant for the caller. */
  readonly rejected?: true;
}

/** Engine → host, asked. */
export interface EngineCalls {
  describe: { params: Record<string, never>; result: Manifest };
  /** Answered as soon as the run begins, for which it waits its turn in the host; its end comes as `done`. */
  run: { params: RunParams; result: { accepted: true } };
  cancel: {
    params: AttemptRef & {
      readonly reason: 'cancel' | 'drain';
      /** In words, for its trace. */
      readonly why?: string;
    };
    result: { found: boolean };
  };
  /** The state of a thread as its graph sees it, at a checkpoint or the newest; `checkpoint` is null where there is none. */
  'state.get': {
    params: StateRef & { readonly checkpoint?: CheckpointRef; readonly subgraphs?: boolean };
    result: ThreadState;
  };
  /**
   * Writes values as if nodes had returned them: supersteps in order, each of one update or several at once. Answers the
   * new checkpoint. An update that can't be made is rejected as an `InvalidUpdateError`.
   */
  'state.update': {
    params: StateRef & {
      readonly checkpoint?: CheckpointRef;
      readonly supersteps: readonly { readonly updates: readonly StateUpdate[] }[];
    };
    result: { readonly checkpoint: CheckpointRef };
  };
  /** States of a thread, newest first. */
  'state.history': {
    params: StateRef & {
      readonly checkpoint?: CheckpointRef;
      readonly limit: number;
      readonly before?: CheckpointRef;
      readonly filter?: Readonly<Record<string, unknown>>;
    };
    result: { readonly states: readonly ThreadState[] };
  };
  schemas: { params: { readonly graph_id: string }; result: GraphSchemas };
  /** Schemas of a graph's subgraphs by namespace. */
  subgraphs: {
    params: { readonly graph_id: string; readonly namespace?: string; readonly recurse: boolean };
    result: { readonly subgraphs: Readonly<Record<string, GraphSchemas>> };
  };
  /** The drawing of a graph; `xray` opens its subgraphs, so many levels deep or all. */
  graph: { params: { readonly graph_id: string; readonly xray: boolean | number }; result: GraphDrawing };
  /** Who calls, by the deployment's own `auth`. */
  authenticate: { params: RequestHead; result: Authenticated };
  /** Whether a user may do something, by the deployment's own `auth`. */
  authorize: {
    params: {
      readonly user: AuthUser;
      readonly resource: AuthResource;
      readonly action: string;
      readonly value: unknown;
    };
    result: Authorized;
  };
  /** Vectors of texts, of the embedder that `store.index` names. */
  embed: {
    params: { readonly texts: readonly string[] };
    result: { readonly vectors: readonly (readonly number[])[] };
  };
  ping: { params: Record<string, never>; result: { runs: number; heap_bytes: number } };
  /** Flush what the tracer still holds, then end. */
  stop: { params: { readonly grace_ms: number }; result: Record<string, never> };
}

/** What a person said to what a graph asked. */
export interface Resumption {
  readonly value: unknown;
  readonly interrupt_id?: string;
}

/** What a client of the LangGraph API may have streamed. */
export type StreamMode =
  | 'values'
  | 'updates'
  | 'messages'
  | 'messages-tuple'
  | 'custom'
  | 'events'
  | 'debug'
  | 'tasks'
  | 'checkpoints'
  /** Of a checkpoint only what it is and where it stands: the event-streaming protocol asks for it. */
  | 'checkpoint-marks'
  | 'tools';

export interface RunParams extends AttemptRef {
  readonly thread_id: string;
  readonly graph_id: string;
  readonly assistant_id: string;
  /** JSON of the graph's input; absent with `resume` and `goes_on`. */
  readonly input?: unknown;
  /**
   * The attempt goes on from its run's last checkpoint. `after` is the one that the thread had before the run, if any:
   * what came since is reported again.
   */
  readonly goes_on?: { readonly after: string | null };
  /** The answer to an open interrupt, for `Command({ resume })`; without an id it is the first one's. */
  readonly resume?: Resumption;
  /** Instead of an input. */
  readonly command?: RunCommand;
  /** Where in the thread's history the run begins; absent: the newest. */
  readonly checkpoint?: CheckpointRef;
  /** The run's context, in the sense of LangGraph. */
  readonly context?: unknown;
  /** Names in the context that only `configurable` says: they are left out where the graph's schema refuses them. */
  readonly configured?: readonly string[];
  readonly interrupt_before?: '*' | readonly string[];
  readonly interrupt_after?: '*' | readonly string[];
  /** What is emitted as `stream` events; absent: nothing. */
  readonly stream?: { readonly modes: readonly StreamMode[]; readonly subgraphs: boolean };
  /** What feedback on the run is called; where it is traced, the last `stream` event, `feedback`, says where it is given. */
  readonly feedback_keys?: readonly string[];
  /** Whether `message` events are emitted. */
  readonly plain?: boolean;
  /** Whether the final state comes with the run's end. */
  readonly values?: boolean;
  /** Who asked, where the deployment's own `auth` tells. */
  readonly user?: AuthUser;
  /** W3C Trace Context of the call that began the run. */
  readonly traceparent?: string;
  /** The project that the run is traced to beside the deployment's own, there as the answer to an example. */
  readonly traced_to?: { readonly project_name: string; readonly example_id?: string };
  /** Whether the thread has a checkpoint: without one the host need not ask. */
  readonly has_checkpoint: boolean;
  /** Merged into `config.configurable` and `config.metadata`. */
  readonly configurable: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags: readonly string[];
  /** Whether anybody reads chunks: without, the host emits whole messages only. */
  readonly chunks: boolean;
  readonly durability: 'sync' | 'async' | 'exit';
  readonly recursion_limit?: number;
}

/** Host → engine, asked. */
export interface HostCalls {
  'checkpoint.get': { params: CheckpointKey; result: CheckpointTuple | null };
  'checkpoint.list': {
    params: {
      /** Absent: of all threads. */
      readonly thread_id?: string;
      readonly checkpoint_ns?: string;
      readonly before?: string;
      readonly limit?: number;
      readonly filter?: Record<string, unknown>;
    };
    result: { readonly tuples: readonly CheckpointTuple[] };
  };
  /** The ancestors of a checkpoint, as far as these channels are stored as differences to them; all in one answer. */
  'checkpoint.deltas': {
    params: DeltaHistoryKey;
    result: { readonly channels: readonly DeltaHistory[] };
  };
  'checkpoint.delete_thread': {
    params: { readonly thread_id: string } & Partial<AttemptRef>;
    result: Record<string, never>;
  };
  /** Acknowledged once committed; hosts ask only for durability `sync`, else they tell. */
  'checkpoint.put': { params: CheckpointPut; result: Record<string, never> };
  'checkpoint.put_writes': { params: CheckpointWrites; result: Record<string, never> };
  /** As it is told; answered once nearly all of it is written. Until then a host says nothing more of the run. */
  emit: { params: Emitted; result: Record<string, never> };
  'store.batch': {
    params: { readonly operations: readonly StoreOperation[] } & Partial<AttemptRef>;
    result: { readonly results: readonly unknown[] };
  };
}

type Emitted = AttemptRef & { readonly events: readonly HostEvent[] };

/** Host → engine, told. Ordered: `done` is committed with or after every put of its run. */
export interface HostTells {
  'checkpoint.put': CheckpointPut;
  'checkpoint.put_writes': CheckpointWrites;
  emit: Emitted;
  done: AttemptRef & RunResult;
  log: HostLogLine;
  load: HostLoad;
}

/** What a host does, told ten times a second while it has many runs. */
export interface HostLoad {
  /** By how much its event loop was late at the last look. */
  readonly late_ms: number;
  /** The share of the last second, 0 to 1, in which the event loop was at work. */
  readonly busy: number;
  /** The share of the heap, 0 to 1, that is in use. */
  readonly heap: number;
  /** What its process has of the machine's memory. */
  readonly resident_bytes: number;
}

/** What user code passes to its logger; what it prints is read from its output instead. */
export interface HostLogLine {
  readonly level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
}

/** What happens in a run, in the graph's top level, free of LangChain's classes. */
export type HostEvent =
  /** A piece of an AI message's text. */
  | { readonly kind: 'chunk'; readonly message_id: string; readonly text: string }
  /** A whole message that a node returned; an AI message that calls tools has `tool_calls`. */
  | { readonly kind: 'message'; readonly message: PlainMessage }
  /** A part of LangGraph's own stream; `event` is a name of the LangGraph API, such as `values` or `messages/partial`. */
  | {
      readonly kind: 'stream';
      readonly event: string;
      /** Of the subgraph; empty for the graph itself. */
      readonly ns: readonly string[];
      readonly data: unknown;
      /** Of a piece of a message: the run of the model that says it. Several may speak at once. */
      readonly speaker?: string;
      /** By which number the last of `data`, a list, is known from here on. */
      readonly shares?: number;
      /** The number of what follows as the last of `data`, and was said before in this attempt. */
      readonly shared?: number;
    }
  /** The speaker has said all that it says. */
  | { readonly kind: 'said'; readonly speaker: string };

export interface PlainMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly text: string;
  readonly name?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
  readonly tool_call_id?: string;
  /** All of it, in order, where it holds more than text. */
  readonly parts?: readonly PlainPart[];
  /** Of a tool's result: clients of A2A are told it, and, where it is `kept`, find it in the history of the task. */
  readonly told?: 'once' | 'kept';
  /** The graph wants it sent as a message by itself, not as what a task made. */
  readonly by_itself?: true;
}

/** A piece of a message. */
export type PlainPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'file';
      /** In base64, or where it can be had. */
      readonly file: { readonly bytes: string } | { readonly uri: string };
      readonly media_type?: string;
      readonly name?: string;
    }
  | { readonly kind: 'data'; readonly data: unknown; readonly media_type?: string };

export type RunResult =
  | {
      readonly outcome: 'success';
      /** Open interrupts; the run ended well, the thread waits. */
      readonly interrupts: readonly RunInterrupt[];
      /** The nodes that would be next, where the graph stopped before its end. */
      readonly next?: readonly string[];
      /** The final state, where it was asked for: JSON, messages as LangChain writes them. */
      readonly values?: unknown;
      /** JSON of what the graph's output schema shows of the final state; null where that is nothing, or no JSON. */
      readonly output: unknown;
    }
  | { readonly outcome: 'error'; readonly error: HostError }
  | { readonly outcome: 'cancelled'; readonly reason: 'cancel' | 'drain' };
