import type { Context } from '../context.ts';
import { forgetBlob, noteForRemoval } from './stored-blob-store.ts';

/**
 * Removes the bytes of a blob that no row notes; one that is noted stays. Whoever notes it meanwhile waits for our row,
 * and then finds the bytes gone.
 */
export async function removeUnnoted(
  { db, blobs }: Pick<Context, 'db' | 'blobs'>,
  digest: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await noteForRemoval(tx, digest))) return;
    await blobs.delete(digest);
    await forgetBlob(tx, digest);
  });
}
