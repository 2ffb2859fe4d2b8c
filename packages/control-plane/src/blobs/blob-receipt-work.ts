import { Problem, type StoredBlob, type Transaction } from '@roadstead/kit';
import type { Context } from '../context.ts';
import { removeUnnoted } from './blob-removal-work.ts';
import { noteBlob } from './stored-blob-store.ts';

/** Stores bytes and then records them. What is not recorded goes again: now, or with age when we are killed. */
export async function receiveBlob(
  context: Context,
  incoming: {
    readonly bytes: AsyncIterable<Uint8Array>;
    readonly max_bytes: number;
    /** In the transaction that notes the blob. */
    readonly record: (tx: Transaction, blob: StoredBlob) => Promise<void>;
  },
): Promise<StoredBlob> {
  const { db, blobs, log } = context;
  const blob = await blobs.put(incoming.bytes, { max_bytes: incoming.max_bytes });
  try {
    await db.transaction(async (tx) => {
      await noteBlob(tx, blob);
      await incoming.record(tx, blob);
    });
  } catch (error) {
    await removeUnnoted(context, blob.digest).catch((cause: unknown) =>
      log.debug('bytes that were not recorded stay for now', { error: cause }),
    );
    throw error;
  }
  // The same bytes, unwanted till now, may have been removed between storing and recording.
  if (!(await blobs.has(blob.digest)))
    throw new Problem('unavailable', 'The bytes were removed while they were recorded; send them again.');
  return blob;
}
