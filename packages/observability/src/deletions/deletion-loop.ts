import { type Log, Loop, settled } from '@roadstead/kit';
import { type BlobContext, removeReleasedBlobs } from '../attachments/blob-removal-work.ts';
import type { Digest } from '../digest/digest-loop.ts';
import { completeDeletion, listOpenDeletions } from './deletion-store.ts';
import { removeSomeDeleted } from './deletion-work.ts';

export const DELETIONS = 'deletions';

/** Removes marked traces. Several instances share the work: each takes traces that no other has locked. */
export function deletionLoop({
  db,
  blobs,
  digest,
  log,
}: BlobContext & {
  readonly digest: Pick<Digest, 'caughtUp'>;
  readonly log: Log;
}): Loop {
  return new Loop({
    name: DELETIONS,
    log,
    concurrency: 1,
    list: async () => ((await listOpenDeletions(db)).length > 0 ? [DELETIONS] : []),
    reconcile: async (_key, signal) => {
      const open = await listOpenDeletions(db);
      while (await removeSomeDeleted(db)) if (signal.aborted) return settled;
      while (await removeReleasedBlobs({ db, blobs })) if (signal.aborted) return settled;
      for (const deletion of open) {
        // Removed runs leave the search rows, too, once the removal is digested.
        await digest.caughtUp(deletion.workspace_id);
        await completeDeletion(db, deletion);
      }
      return settled;
    },
  });
}
