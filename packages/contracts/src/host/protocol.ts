import type { Manifest } from './manifest.ts';

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

export type BlobIndex = number;

export interface HostError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
}

/** One attempt of one run: every write names it, and a stale one is refused. */
export interface AttemptRef {
  readonly run_id: string;
  readonly attempt: number;
}

export interface TypedBlob {
  readonly type: string;
  readonly blob: BlobIndex;
}

/** Engine → host, asked. */
export interface EngineCalls {
  describe: { params: Record<string, never>; result: Manifest };
  /** Answered as soon as the run has been taken; its end comes as `done`. */
  run: { params: RunParams; result: { accepted: true } };
  cancel: { params: AttemptRef & { readonly reason: 'cancel' | 'drain' }; result: { found: boolean } };
  ping: { params: Record<string, never>; result: { runs: number; heap_bytes: number } };
  /** Flush what the tracer still holds, then end. */
  stop: { params: { readonly grace_ms: number }; result: Record<string, never> };
}

/** What a person said to what a graph asked. */
export interface Resumption {
  readonly value: unknown;
  readonly interrupt_id?: string;
}

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
  'checkpoint.delete_thread': { params: { readonly thread_id: string }; result: Record<string, never> };
  /** Acknowledged once committed; hosts ask only for durability `sync`, else they tell. */
  'checkpoint.put': { params: CheckpointPut; result: Record<string, never> };
  'checkpoint.put_writes': { params: CheckpointWrites; result: Record<string, never> };
  'store.batch': {
    params: { readonly operations: readonly StoreOperation[] } & Partial<AttemptRef>;
    result: { readonly results: readonly unknown[] };
  };
}

/** Host → engine, told. Ordered: `done` is committed with or after every put of its run. */
export interface HostTells {
  'checkpoint.put': CheckpointPut;
  'checkpoint.put_writes': CheckpointWrites;
  emit: AttemptRef & { readonly events: readonly HostEvent[] };
  done: AttemptRef & RunResult;
  log: HostLogLine;
}

/** What user code passes to its logger; what it prints is read from its output instead. */
export interface HostLogLine {
  readonly level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
}

export interface CheckpointKey {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  /** Absent: the newest. */
  readonly checkpoint_id?: string;
}

/** The stock layout of `@langchain/langgraph-checkpoint-postgres`: channel values stand apart, by version. */
export interface CheckpointTuple extends CheckpointKey {
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  /** The checkpoint without channel values. */
  readonly checkpoint: unknown;
  readonly metadata: unknown;
  readonly channels: readonly (TypedBlob & { readonly channel: string })[];
  readonly writes: readonly (TypedBlob & {
    readonly task_id: string;
    readonly channel: string;
    readonly idx: number;
  })[];
  /** Writes of the parent checkpoint to the `__pregel_tasks` channel, for checkpoints of before version 4. */
  readonly pending_sends: readonly TypedBlob[];
}

export interface CheckpointPut extends CheckpointKey, Partial<AttemptRef> {
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  readonly checkpoint: unknown;
  readonly metadata: unknown;
  readonly channels: readonly (TypedBlob & { readonly channel: string; readonly version: string })[];
}

export interface CheckpointWrites extends CheckpointKey, Partial<AttemptRef> {
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly writes: readonly (TypedBlob & { readonly channel: string; readonly idx: number })[];
}

export type StoreOperation =
  | { readonly op: 'get'; readonly namespace: readonly string[]; readonly key: string }
  | {
      readonly op: 'put';
      readonly namespace: readonly string[];
      readonly key: string;
      readonly value: Record<string, unknown> | null;
    }
  | {
      readonly op: 'search';
      readonly namespace_prefix: readonly string[];
      readonly filter?: Record<string, unknown>;
      readonly limit: number;
      readonly offset: number;
      readonly query?: string;
    }
  | {
      readonly op: 'list_namespaces';
      readonly match_conditions?: readonly {
        readonly match_type: 'prefix' | 'suffix';
        readonly path: readonly string[];
      }[];
      readonly max_depth?: number;
      readonly limit: number;
      readonly offset: number;
    };

/** What happens in a run, in the graph's top level, free of LangChain's classes. */
export type HostEvent =
  /** A piece of an AI message's text. */
  | { readonly kind: 'chunk'; readonly message_id: string; readonly text: string }
  /** A whole message that a node returned; an AI message that calls tools has `tool_calls`. */
  | { readonly kind: 'message'; readonly message: PlainMessage };

export interface PlainMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly text: string;
  readonly name?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
  readonly tool_call_id?: string;
}

export type RunResult =
  | {
      readonly outcome: 'success';
      /** Open interrupts; the run ended well, the thread waits. */
      readonly interrupts: readonly { readonly id: string; readonly value: unknown }[];
      /** JSON of what the graph's output schema shows of the final state; null where that is nothing, or no JSON. */
      readonly output: unknown;
    }
  | { readonly outcome: 'error'; readonly error: HostError }
  | { readonly outcome: 'cancelled'; readonly reason: 'cancel' | 'drain' };
