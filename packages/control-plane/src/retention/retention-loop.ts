import { again, Loop } from '@roadstead/kit';
import { oncePer } from '@roadstead/postgres';
import { removeOldFlows } from '../auth/flows/flow-store.ts';
import { removeUnrecorded } from '../blobs/blob-removal-work.ts';
import { removeOldClaims } from '../claims/claim-store.ts';
import type { Context } from '../context/context.ts';
import { recountRooms, removeOldImages } from '../registry/image-removal-work.ts';
import { removeOldKeys } from '../requests/idempotency-store.ts';
import { terminalStatuses } from '../records/revision-store.ts';
import { expireArtifacts, listUnnamed, removeOldUploads, takeUnusedBlobs } from './retention-store.ts';

const RETENTION = 'retention';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BLOBS_AT_ONCE = 50;
const LOOKED_AT_ONCE = 1000;

/** Removes what is no longer needed. */
export function retentionLoop(context: Context): Loop {
  return new Loop({
    name: RETENTION,
    reconcile: async (_key, signal) => {
      const work = async () => {
        while ((await sweep(context)) === BLOBS_AT_ONCE) signal.throwIfAborted();
      };
      return again(
        await oncePer(context.db, { schema: 'control', name: RETENTION, every_ms: HOUR_MS, work }),
      );
    },
    list: async () => [RETENTION],
    log: context.log,
    resync_ms: HOUR_MS,
  });
}

/** One round; answers how many blobs were removed. Bytes are deleted once no row refers to them. */
async function sweep(context: Context): Promise<number> {
  const { db } = context;
  await removeOldClaims(db);
  await removeOldKeys(db);
  await removeOldFlows(db);
  await expireArtifacts(db, terminalStatuses);
  await removeOldUploads(db, terminalStatuses);
  await removeOldImages(context);
  const unused = await db.transaction((tx) =>
    takeUnusedBlobs(tx, { terminal: terminalStatuses, limit: BLOBS_AT_ONCE }),
  );
  for (const digest of unused) await removeUnrecorded(context, digest);
  if (unused.length < BLOBS_AT_ONCE) {
    await sweepUnnamed(context);
    await recountRooms(context);
    await context.blobs
      .removeAbandoned()
      .catch((error: unknown) => context.log.warn('uploads that were given up stay for now', { error }));
  }
  return unused.length;
}

/** Removes blobs of more than a day ago without a row: a process was killed before it recorded or removed them. */
async function sweepUnnamed(context: Context): Promise<void> {
  const old: string[] = [];
  for await (const { digest, put_at_ms } of context.blobs.list())
    if (put_at_ms < Date.now() - DAY_MS) old.push(digest);
  for (let at = 0; at < old.length; at += LOOKED_AT_ONCE)
    for (const digest of await listUnnamed(context.db, {
      terminal: terminalStatuses,
      digests: old.slice(at, at + LOOKED_AT_ONCE),
    }))
      await removeUnrecorded(context, digest);
}
