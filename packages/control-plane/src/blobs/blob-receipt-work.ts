import type { StoredBlob } from '@roadstead/blobs';
import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { removeUnrecorded } from './blob-removal-work.ts';
import { recordBlob } from './stored-blob-store.ts';

/** Stores bytes and then records them. Unrecorded bytes are deleted again: now, or by retention if we are killed. */
export async function receiveBlob(
  context: Context,
  incoming: {
    readonly bytes: AsyncIterable<Uint8Array>;
    readonly max_bytes: number;
    /** Runs in the transaction that records the blob. */
    readonly record: (tx: Transaction, blob: StoredBlob) => Promise<void>;
  },
): Promise<StoredBlob> {
  const { db, blobs, log } = context;
  const blob = await blobs.put(incoming.bytes, { max_bytes: incoming.max_bytes });
  try {
    await db.transaction(async (tx) => {
      await recordBlob(tx, blob);
      await incoming.record(tx, blob);
    });
  } catch (error) {
    await removeUnrecorded(context, blob.digest).catch((cause: unknown) =>
      log.debug('bytes that were not recorded stay for now', { error: cause }),
    );
    throw error;
  }
  // The same bytes may have been removed as unused between storing and recording.
  const isThere = await blobs.has(blob.digest).catch((error: unknown) => {
    // It was a moment ago; what is recorded is committed.
    log.debug('bytes could not be looked for', { error });
    return true;
  });
  if (!isThere)
    throw new Problem('unavailable', 'The bytes were removed while they were recorded; send them again.');
  return blob;
}
