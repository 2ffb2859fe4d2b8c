import type { Context } from '../context.ts';

/**
 * Removes the bytes of a blob that no row notes; one that is noted stays. Whoever notes it meanwhile waits for our row,
 * and then finds the bytes gone.
 */
export async function removeUnnoted(
  { db, blobs }: Pick<Context, 'db' | 'blobs'>,
  digest: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const isUnnoted = await tx.run(
      'insert into stored_blobs (digest, size) values ($1, 0) on conflict do nothing',
      [digest],
    );
    if (isUnnoted === 0) return;
    await blobs.delete(digest);
    await tx.run('delete from stored_blobs where digest = $1', [digest]);
  });
}
