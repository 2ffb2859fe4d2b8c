import { z } from 'zod';
import { Anything } from './anything.ts';
import { attemptOrNone, AttemptRef, WHOLE_ATTEMPT, wholeAttempt } from './attempt.ts';
import { AuthResource, AuthUser, AuthenticateAnswer, AuthorizeAnswer, RequestHead } from './auth.ts';
import {
  CheckpointKey,
  CheckpointList,
  CheckpointPage,
  CheckpointPut,
  CheckpointTuple,
  CheckpointWrites,
  DeltaHistory,
  DeltaHistoryKey,
} from './checkpoints.ts';
import { HostError } from './error.ts';
import { RunEvents } from './events.ts';
import { Description } from './manifest.ts';
import { HostLoad, HostLogLine } from './report.ts';
import { RunEnd, RunParams } from './run.ts';
import {
  CheckpointRef,
  GraphDrawing,
  GraphSchemas,
  HistoryQuestion,
  StateChange,
  StateQuestion,
  ThreadState,
} from './state.ts';
import { StoreBatch } from './store.ts';
import type { Wire } from './wire.ts';

/**
 * What engine and graph host say to each other, as data. `docs/host-protocol` is written from these tables; it tells how
 * frames are written, and in which order they are handled.
 */

const Nothing = z.object({}).meta({ id: 'Nothing' });

const length = z.int().min(0);
const blobs = z
  .array(length)
  .exactOptional()
  .describe('The lengths in bytes of the blobs that follow the head, in order');

const none = z.never().exactOptional();

/** The JSON at the beginning of a frame. */
export const Head = z
  .union([
    z
      .object({ id: z.int(), method: z.string(), params: Anything, blobs, re: none })
      .describe('A question; its answer names the `id`'),
    z
      .object({ method: z.string(), params: Anything, blobs, id: none, re: none })
      .describe('A message without an answer'),
    z.object({ re: z.int(), error: HostError, blobs }).describe('The answer to a question that failed'),
    z.object({ re: z.int(), result: Anything, blobs, error: none }).describe('The answer to a question'),
  ])
  .meta({ id: 'Head' });
export type Head = Wire<typeof Head>;

interface Call {
  /** What the method does, and when it is answered. */
  readonly doc: string;
  readonly params: z.ZodType;
  readonly result: z.ZodType;
}

const call = <const Params extends z.ZodType, const Result extends z.ZodType>(
  doc: string,
  { params, result }: { readonly params: Params; readonly result: Result },
) => ({ doc, params, result });

/** Engine → host, asked. */
export const engineCalls = {
  describe: call(
    'What the host loaded. It is the first question. Loading begins with it, and a failure of it is answered as an error.',
    {
      params: z.object({
        protocol_versions: z
          .array(z.int())
          .exactOptional()
          .describe('The versions of this protocol that the engine speaks; only 1 unless given'),
      }),
      result: Description,
    },
  ),
  run: call(
    'Begins an attempt at a run. It is answered as soon as the run begins, for which it waits its turn in the host; its end comes as `done`.',
    { params: RunParams, result: z.object({ accepted: z.literal(true) }) },
  ),
  cancel: call('Ends an attempt. Its end comes as `done`, like any other.', {
    params: AttemptRef.extend({
      reason: z.enum(['cancel', 'drain']),
      why: z.string().exactOptional().describe('In words, for its trace'),
    }),
    result: z.object({ found: z.boolean().describe('Whether the host has the attempt') }),
  }),
  'state.get': call(
    'The state of a thread as its graph sees it, at a checkpoint or the newest. `checkpoint` is null where there is none.',
    { params: StateQuestion, result: ThreadState },
  ),
  'state.update': call(
    'Writes values as if nodes had returned them, and answers the new checkpoint. An update that cannot be made is refused as an `InvalidUpdateError`.',
    { params: StateChange, result: z.object({ checkpoint: CheckpointRef }) },
  ),
  'state.history': call('The states of a thread, newest first.', {
    params: HistoryQuestion,
    result: z.object({ states: z.array(ThreadState) }),
  }),
  schemas: call('The JSON Schemas of a graph.', {
    params: z.object({ graph_id: z.string() }),
    result: GraphSchemas,
  }),
  subgraphs: call('The JSON Schemas of the subgraphs of a graph, by namespace.', {
    params: z.object({
      graph_id: z.string(),
      namespace: z.string().exactOptional(),
      recurse: z.boolean().describe('Whether subgraphs of subgraphs come with them'),
    }),
    result: z.object({ subgraphs: z.record(z.string(), GraphSchemas) }),
  }),
  graph: call('The drawing of a graph.', {
    params: z.object({
      graph_id: z.string(),
      xray: z
        .union([z.boolean(), z.number()])
        .describe('Opens the subgraphs: so many levels of them, or all'),
    }),
    result: GraphDrawing,
  }),
  authenticate: call('Who calls, by the own `auth` of the deployment.', {
    params: RequestHead,
    result: AuthenticateAnswer,
  }),
  authorize: call('Whether a user may do something, by the own `auth` of the deployment.', {
    params: z.object({
      user: AuthUser,
      resource: AuthResource,
      action: z.string(),
      value: Anything,
    }),
    result: AuthorizeAnswer,
  }),
  embed: call('The vectors of texts, by the embedder that `store.index` names.', {
    params: z.object({ texts: z.array(z.string()) }),
    result: z.object({ vectors: z.array(z.array(z.number())) }),
  }),
  ping: call(
    'Whether the event loop of the host turns. A host that does not answer gets no new runs, and is ended later.',
    {
      params: Nothing,
      result: z.object({ runs: z.number(), heap_bytes: z.number() }),
    },
  ),
  stop: call(
    'Flushes what the tracer still holds, for `grace_ms` at most; the host answers, and ends by itself.',
    {
      params: z.object({ grace_ms: z.number() }),
      result: Nothing,
    },
  ),
} satisfies Readonly<Record<string, Call>>;

/** Host → engine, asked. */
export const hostCalls = {
  'checkpoint.get': call('A checkpoint with its channels and writes; null where there is none.', {
    params: CheckpointKey,
    result: CheckpointTuple.nullable(),
  }),
  'checkpoint.list': call('The checkpoints of a thread, newest first, a page at a time.', {
    params: CheckpointList,
    result: CheckpointPage,
  }),
  'checkpoint.deltas': call(
    'The ancestors of a checkpoint, as far as these channels are stored as differences to them; all in one answer.',
    { params: DeltaHistoryKey, result: z.object({ channels: z.array(DeltaHistory) }) },
  ),
  'checkpoint.delete_thread': call('Deletes the checkpoints of a thread.', {
    params: z
      .object({ thread_id: z.string(), ...attemptOrNone })
      .refine(wholeAttempt)
      .meta(WHOLE_ATTEMPT),
    result: Nothing,
  }),
  'checkpoint.put': call(
    'Writes a checkpoint. It is answered once it is committed; hosts ask only for the durability `sync`, else they tell it.',
    { params: CheckpointPut, result: Nothing },
  ),
  'checkpoint.put_writes': call('Writes what a task wrote, as `checkpoint.put` does.', {
    params: CheckpointWrites,
    result: Nothing,
  }),
  emit: call(
    'The same as the message `emit`, answered once nearly all of it is written. Until then the host sends nothing more of the run.',
    { params: RunEvents, result: Nothing },
  ),
  'store.batch': call('Operations on the store, with a result for each.', {
    params: StoreBatch,
    result: z.object({ results: z.array(z.unknown()) }),
  }),
} satisfies Readonly<Record<string, Call>>;

const message = <const Params extends z.ZodType>(doc: string, params: Params) => ({ doc, params });

/** Host → engine, told. */
export const hostTells = {
  'checkpoint.put': message('Writes a checkpoint.', CheckpointPut),
  'checkpoint.put_writes': message('Writes what a task wrote.', CheckpointWrites),
  emit: message('What happened in a run.', RunEvents),
  done: message('The end of an attempt. It is committed with, or after, all that the attempt wrote.', RunEnd),
  log: message('A line for the log of the deployment.', HostLogLine),
  load: message('How busy the host is.', HostLoad),
} satisfies Readonly<Record<string, { readonly doc: string; readonly params: z.ZodType }>>;

type CallsOf<Table extends Readonly<Record<string, Call>>> = {
  readonly [Method in keyof Table]: {
    readonly params: Wire<Table[Method]['params']>;
    readonly result: Wire<Table[Method]['result']>;
  };
};

type TellsOf<Table extends Readonly<Record<string, { readonly params: z.ZodType }>>> = {
  readonly [Method in keyof Table]: Wire<Table[Method]['params']>;
};

// Interfaces, because messages of the compiler show them by name.
export interface EngineCalls extends CallsOf<typeof engineCalls> {}
export interface HostCalls extends CallsOf<typeof hostCalls> {}
export interface HostTells extends TellsOf<typeof hostTells> {}
