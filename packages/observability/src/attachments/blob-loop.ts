import { again, type Log, Loop, settled } from '@roadstead/kit';
import { oncePer } from '@roadstead/postgres';
import {
  type BlobContext,
  collectBlobs,
  moveOneAttachment,
  removeReleasedBlobs,
} from './blob-removal-work.ts';

const RELEASED_MS = 15_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Removes blobs of what is deleted; moves attachments of older releases into blobs, and removes blobs that nothing names
 * for a day, such as a killed process leaves behind.
 */
export function blobLoop(context: BlobContext, log: Log): Loop {
  return new Loop({
    name: 'blobs',
    log,
    concurrency: 1,
    resync_ms: RELEASED_MS,
    list: async () => ['released', 'unnamed'],
    reconcile: async (key, signal) => {
      if (key === 'released') {
        while (!signal.aborted && (await removeReleasedBlobs(context)));
        return settled;
      }
      while (await moveOneAttachment(context)) if (signal.aborted) return settled;
      const work = async () => {
        await collectBlobs(context, DAY_MS);
        await context.blobs
          .removeAbandoned()
          .catch((error: unknown) => log.warn('uploads that were given up stay for now', { error }));
      };
      return again(
        await oncePer(context.db, { schema: 'traces', name: 'unnamed blobs', every_ms: HOUR_MS, work }),
      );
    },
  });
}
