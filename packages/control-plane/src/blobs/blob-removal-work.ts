import type { Context } from '../context/context.ts';
import { forgetBlob, lockForRemoval } from './stored-blob-store.ts';

/**
 * Deletes the bytes of a blob without a record; a recorded one stays. A transaction that records it meanwhile waits
 * for our row, and then finds the bytes gone.
 */
export async function removeUnrecorded(
  { db, blobs }: Pick<Context, 'db' | 'blobs'>,
  digest: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockForRemoval(tx, digest))) return;
    await blobs.delete(digest);
    await forgetBlob(tx, digest);
  });
}
