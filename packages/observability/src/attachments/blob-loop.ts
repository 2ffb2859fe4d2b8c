import { again, type Log, Loop, settled } from '@roadstead/kit';
import { type BlobContext, collectBlobs, moveOneAttachment } from './blob-removal-work.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Moves attachments of older releases into blobs, and removes blobs that nothing names for a day. */
export function blobLoop(context: BlobContext, log: Log): Loop {
  return new Loop({
    name: 'blobs',
    log,
    concurrency: 1,
    resync_ms: HOUR_MS,
    list: async () => ['all'],
    reconcile: async (_key, signal) => {
      while (await moveOneAttachment(context)) if (signal.aborted) return settled;
      await collectBlobs(context, DAY_MS);
      return again(HOUR_MS);
    },
  });
}
