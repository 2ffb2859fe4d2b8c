import { z } from 'zod';
import { Anything } from './anything.ts';
import { attemptOrNone, TypedBlob, WHOLE_ATTEMPT, wholeAttempt } from './attempt.ts';
import type { Wire } from './wire.ts';

/** Checkpoints, as graph hosts read and write them. */

const place = { thread_id: z.string(), checkpoint_ns: z.string() };
const inChannel = { ...TypedBlob.shape, channel: z.string() };
const inTask = { ...inChannel, task_id: z.string() };
const idx = z.int().describe('The place of the write among those of its task; below 0 for a special channel');

export const CheckpointKey = z
  .object({ ...place, checkpoint_id: z.string().exactOptional().describe('The newest unless given') })
  .meta({ id: 'CheckpointKey' });
export type CheckpointKey = Wire<typeof CheckpointKey>;

const stored = {
  ...place,
  checkpoint_id: z.string(),
  parent_checkpoint_id: z.string().nullable(),
  checkpoint: Anything.describe(
    'The checkpoint without the channel values that are apart. Plain values may be in it; bytes of the same channel take precedence',
  ),
  metadata: Anything,
};

export const CheckpointTuple = z
  .object({
    ...stored,
    channels: z.array(z.object(inChannel)),
    writes: z.array(z.object({ ...inTask, idx })),
    pending_sends: z
      .array(TypedBlob)
      .describe(
        'Writes of the parent checkpoint to the channel `__pregel_tasks`, for checkpoints of before version 4',
      ),
  })
  .describe(
    'The layout of `@langchain/langgraph-checkpoint-postgres`: channel values stand apart, by version',
  )
  .meta({ id: 'CheckpointTuple' });
export type CheckpointTuple = Wire<typeof CheckpointTuple>;

export const CheckpointList = z
  .object({
    thread_id: z.string().exactOptional().describe('All threads unless given'),
    checkpoint_ns: z.string().exactOptional(),
    before: z.string().exactOptional().describe('A checkpoint: older ones only'),
    limit: z.int().exactOptional().describe('As many as there are unless given'),
    filter: z.record(z.string(), z.unknown()).exactOptional().describe('What the metadata must hold'),
  })
  .meta({ id: 'CheckpointList' });
export type CheckpointList = Wire<typeof CheckpointList>;

export const CheckpointPage = z
  .object({
    tuples: z.array(CheckpointTuple),
    more: z
      .literal(true)
      .exactOptional()
      .describe('The page ends before its limit: the rest is asked with the last checkpoint as `before`'),
  })
  .meta({ id: 'CheckpointPage' });
export type CheckpointPage = Wire<typeof CheckpointPage>;

export const DeltaHistoryKey = CheckpointKey.extend({ channels: z.array(z.string()) })
  .describe('Names the channels to put together that are stored as differences, as of a checkpoint')
  .meta({ id: 'DeltaHistoryKey' });
export type DeltaHistoryKey = Wire<typeof DeltaHistoryKey>;

export const DeltaHistory = z
  .object({
    channel: z.string(),
    seed: TypedBlob.exactOptional().describe('The value of the nearest ancestor; absent: it began empty'),
    writes: z
      .array(z.object({ ...TypedBlob.shape, task_id: z.string() }))
      .describe('What was written to it from there on, oldest first'),
  })
  .meta({ id: 'DeltaHistory' });
export type DeltaHistory = Wire<typeof DeltaHistory>;

export const CheckpointPut = z
  .object({
    ...stored,
    ...attemptOrNone,
    channels: z.array(z.object({ ...inChannel, version: z.string() })),
  })
  .refine(wholeAttempt)
  .meta({ id: 'CheckpointPut', ...WHOLE_ATTEMPT });
export type CheckpointPut = Wire<typeof CheckpointPut>;

export const CheckpointWrites = z
  .object({
    ...place,
    ...attemptOrNone,
    checkpoint_id: z.string(),
    task_id: z.string(),
    task_path: z
      .string()
      .exactOptional()
      .describe('Where the task stands among those of its step; older versions of LangGraph do not say it'),
    writes: z.array(z.object({ ...inChannel, idx })),
  })
  .refine(wholeAttempt)
  .meta({ id: 'CheckpointWrites', ...WHOLE_ATTEMPT });
export type CheckpointWrites = Wire<typeof CheckpointWrites>;
