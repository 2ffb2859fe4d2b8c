import { z } from 'zod';
import type { Wire } from './wire.ts';

/** What frames refer to: the attempt of a run, and the blobs that come beside the JSON. */

const attempt = {
  run_id: z.string(),
  attempt: z.int().describe('Counts from 1. A write of a stale attempt is refused'),
};

export const AttemptRef = z
  .object(attempt)
  .describe('One attempt at one run: every write names it')
  .meta({ id: 'AttemptRef' });
export type AttemptRef = Wire<typeof AttemptRef>;

/** The same where it may be left out: a question about a thread that no run works on. It has both or neither. */
export const attemptOrNone = {
  run_id: attempt.run_id.exactOptional(),
  attempt: attempt.attempt.exactOptional(),
};

type AttemptOrNone = Partial<Record<keyof typeof attempt, unknown>>;

/** Holds a question to naming an attempt whole; a write of half an attempt would be nobody's. */
export const wholeAttempt = ({ run_id, attempt: number }: AttemptOrNone): boolean =>
  (run_id === undefined) === (number === undefined);

/** The same in JSON Schema. */
export const WHOLE_ATTEMPT = { dependentRequired: { run_id: ['attempt'], attempt: ['run_id'] } };

/** The keyword by which the JSON Schema marks a place in the list of blobs. */
export const BLOB_KEYWORD = 'x-blob';

export const BlobIndex = z
  .int()
  .min(0)
  .describe('A place in the list of blobs that the frame brings; it is below their number')
  .meta({ id: 'BlobIndex', [BLOB_KEYWORD]: true });

export const TypedBlob = z
  .object({
    type: z.string().describe('How the bytes are written, as LangGraph’s serializer names it'),
    blob: BlobIndex,
  })
  .describe('Bytes that are opaque to the engine, and how they are written')
  .meta({ id: 'TypedBlob' });
export type TypedBlob = Wire<typeof TypedBlob>;
