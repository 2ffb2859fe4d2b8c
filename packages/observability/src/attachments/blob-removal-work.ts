import type { Blobs } from '@roadstead/blobs';
import type { Database } from '@roadstead/postgres';
import { findUnmovedAttachment, moveAttachment } from './attachment-store.ts';
import { withStoredBlobs } from './blob-receipt-work.ts';
import {
  forgetBlob,
  forgetUnnamedBlobs,
  listUnrecordedBlobs,
  lockForRemoval,
  recordBlobs,
  takeReleasedBlobs,
} from './blob-store.ts';

export interface BlobContext {
  readonly db: Database;
  readonly blobs: Blobs;
}

const AT_ONCE = 100;
const LOOKED_AT_ONCE = 1000;

/**
 * Removes blobs that nothing has named for a while: first those that are recorded, then files that a killed process
 * stored and did not record. Several instances may do so at once.
 */
export async function collectBlobs({ db, blobs }: BlobContext, grace_ms: number): Promise<void> {
  let collected: number;
  do {
    collected = await db.patientTransaction(async (tx) => {
      const digests = await forgetUnnamedBlobs(tx, { grace_ms, limit: AT_ONCE });
      for (const digest of digests) await blobs.delete(digest);
      return digests.length;
    });
  } while (collected > 0);
  const old: string[] = [];
  for await (const { digest, put_at_ms } of blobs.list())
    if (put_at_ms <= Date.now() - grace_ms) old.push(digest);
  for (let at = 0; at < old.length; at += LOOKED_AT_ONCE)
    for (const digest of await listUnrecordedBlobs(db, old.slice(at, at + LOOKED_AT_ONCE)))
      await removeUnrecorded({ db, blobs }, digest);
}

/** Removes those of these blobs that nothing names any more, at once. */
export async function removeUnnamedBlobs(
  { db, blobs }: BlobContext,
  digests: readonly string[],
): Promise<void> {
  await db.patientTransaction(async (tx) => {
    const limit = digests.length;
    for (const digest of await forgetUnnamedBlobs(tx, { grace_ms: 0, limit, digests }))
      await blobs.delete(digest);
  });
}

/** Removes some blobs that deleted rows named, unless something else names them. @returns whether there were any. */
export async function removeReleasedBlobs({ db, blobs }: BlobContext): Promise<boolean> {
  return db.patientTransaction(async (tx) => {
    const digests = await takeReleasedBlobs(tx, AT_ONCE);
    for (const digest of await forgetUnnamedBlobs(tx, { grace_ms: 0, limit: AT_ONCE, digests }))
      await blobs.delete(digest);
    return digests.length > 0;
  });
}

async function removeUnrecorded({ db, blobs }: BlobContext, digest: string): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockForRemoval(tx, digest))) return;
    await blobs.delete(digest);
    await forgetBlob(tx, digest);
  });
}

/**
 * Moves an attachment that an older release kept in the database into a blob; false when no such attachment is left.
 */
export async function moveOneAttachment({ db, blobs }: BlobContext): Promise<boolean> {
  const found = await findUnmovedAttachment(db);
  if (found === undefined) return false;
  await withStoredBlobs({ blobs, contents: [found.content] }, async ([blob]) => {
    if (blob === undefined) return;
    await db.transaction(async (tx) => {
      await recordBlobs(tx, [blob]);
      await moveAttachment(tx, { ...found, ...blob });
    });
  });
  return true;
}
