import type { AttemptRef, TypedBlob } from './attempt.ts';

/** Checkpoints and the store, as graph hosts ask for them. */

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

/** Which channels that are stored as differences are to be put together, as of a checkpoint. */
export interface DeltaHistoryKey extends CheckpointKey {
  readonly channels: readonly string[];
}

/** What a channel is put together from: the nearest ancestor's value, and what was written to it from there on, oldest first. */
export interface DeltaHistory {
  readonly channel: string;
  /** Absent: it began empty. */
  readonly seed?: TypedBlob;
  readonly writes: readonly (TypedBlob & { readonly task_id: string })[];
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
  /** Where the task stands among those of its step; older versions of LangGraph don't say it. */
  readonly task_path?: string;
  readonly writes: readonly (TypedBlob & { readonly channel: string; readonly idx: number })[];
}

export type StoreOperation =
  | {
      readonly op: 'get';
      readonly namespace: readonly string[];
      readonly key: string;
      /** Whether reading makes it live longer; what `langgraph.json` says unless given. */
      readonly refresh_ttl?: boolean;
    }
  | {
      readonly op: 'put';
      readonly namespace: readonly string[];
      readonly key: string;
      readonly value: Record<string, unknown> | null;
      /** Which parts are found by meaning: those of `langgraph.json` unless given, or none. */
      readonly index?: false | readonly string[];
      /** How many minutes it lives, null for ever; what `langgraph.json` says unless given. */
      readonly ttl?: number | null;
    }
  | {
      readonly op: 'search';
      readonly namespace_prefix: readonly string[];
      readonly filter?: Record<string, unknown>;
      readonly limit: number;
      readonly offset: number;
      readonly query?: string;
      readonly refresh_ttl?: boolean;
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
