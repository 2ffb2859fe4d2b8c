import { again, Loop, type Outcome, settled } from '@roadstead/kit';
import { releaseClaim, removeOldClaims, takeClaim } from '../claims/claim-store.ts';
import type { Context } from '../context.ts';
import { removeOldKeys } from '../idempotency/idempotency-store.ts';
import { terminalStatuses } from '../revisions/revision-store.ts';
import { expireArtifacts, removeOldUploads, takeUnusedBlobs } from './retention-store.ts';

const HOUR_MS = 3_600_000;
const BLOBS_AT_ONCE = 50;

/** Removes what nobody needs any more (gaps.md "retention"); one instance does it at a time. */
export function retentionLoop(context: Context): Loop {
  return new Loop({
    name: 'retention',
    reconcile: () => pass(context),
    list: async () => ['all'],
    log: context.log,
    resync_ms: HOUR_MS,
  });
}

async function pass(context: Context): Promise<Outcome> {
  const claim = await takeClaim(context.db, { name: 'retention', owner: context.instance_id });
  if (claim === undefined) return settled;
  try {
    return (await sweep(context)) < BLOBS_AT_ONCE ? settled : again(0);
  } finally {
    await releaseClaim(context.db, claim);
  }
}

/** One round; answers how many blobs went. */
async function sweep({ db, blobs }: Context): Promise<number> {
  await removeOldClaims(db);
  await removeOldKeys(db);
  await expireArtifacts(db, terminalStatuses);
  await removeOldUploads(db, terminalStatuses);
  return db.transaction(async (tx) => {
    const digests = await takeUnusedBlobs(tx, terminalStatuses, BLOBS_AT_ONCE);
    for (const digest of digests) await blobs.delete(digest);
    return digests.length;
  });
}
