import { Problem, type Queryable, type StoredBlob } from '@roadstead/kit';
import type { Context } from '../context.ts';
import { noteBlob } from './stored-blob-store.ts';

/** Stores bytes and then records them, both or at least nothing that is named: an unnamed blob is removed with age. */
export async function receiveBlob(
  context: Context,
  incoming: {
    readonly bytes: AsyncIterable<Uint8Array>;
    readonly max_bytes: number;
    /** In the transaction that notes the blob. */
    readonly record: (tx: Queryable, blob: StoredBlob) => Promise<void>;
  },
): Promise<StoredBlob> {
  const blob = await context.blobs.put(incoming.bytes, { max_bytes: incoming.max_bytes });
  await context.db.transaction(async (tx) => {
    await noteBlob(tx, blob);
    await incoming.record(tx, blob);
  });
  if (!(await isThere(context, blob.digest)))
    throw new Problem('unavailable', 'The bytes were removed while they were recorded; send them again.');
  return blob;
}

/** The same bytes, unwanted till now, may have been removed between storing and recording. */
async function isThere({ blobs }: Context, digest: string): Promise<boolean> {
  const found = await blobs.get(digest);
  await found?.stream.cancel();
  return found !== undefined;
}
