import type { StoredBlob } from '@roadstead/blobs';
import type { Queryable, Transaction } from '@roadstead/postgres';

/** The blobs that are kept, and since when; `traces.blob_references` lists those that are still named. */

/**
 * Records blobs in the transaction that writes the rows that refer to them; waits for a removal of the same blobs
 * that is under way.
 */
export async function recordBlobs(tx: Transaction, blobs: readonly StoredBlob[]): Promise<void> {
  const sizes = new Map(blobs.map(({ digest, size }) => [digest, size]));
  if (sizes.size === 0) return;
  // The order is the same everywhere, so that two transactions can't wait for each other.
  const digests = [...sizes.keys()].sort();
  await tx.run(
    `insert into traces.blobs (digest, size) select * from unnest($1::text[], $2::bigint[])
     on conflict (digest) do update set put_at = now()`,
    [digests, digests.map((digest) => sizes.get(digest))],
  );
}

/** Forgets some blobs that nothing names any more; the rows stay locked until the bytes are deleted, too. */
export async function forgetUnnamedBlobs(
  tx: Transaction,
  {
    grace_ms,
    limit,
    digests,
  }: {
    readonly grace_ms: number;
    readonly limit: number;
    /** Only among these. */
    readonly digests?: readonly string[];
  },
): Promise<string[]> {
  const rows = await tx.query<{ digest: string }>(
    `delete from traces.blobs b where b.digest = any (array(
       select c.digest from traces.blobs c where c.put_at <= now() - make_interval(secs => $1)
         and not exists (select from traces.blob_references r where r.digest = c.digest)
         and ($3::text[] is null or c.digest = any ($3))
       order by c.digest limit $2 for update skip locked))
     and b.put_at <= now() - make_interval(secs => $1)
     and not exists (select from traces.blob_references r where r.digest = b.digest)
     returning b.digest`,
    [grace_ms / 1000, limit, digests ?? null],
  );
  return rows.map(({ digest }) => digest);
}

/** Takes some of the blobs that deleted rows named. */
export async function takeReleasedBlobs(tx: Transaction, limit: number): Promise<string[]> {
  const rows = await tx.query<{ digest: string }>(
    `delete from traces.released_blobs where ctid = any (array(
       select ctid from traces.released_blobs limit $1 for update skip locked)) returning digest`,
    [limit],
  );
  return rows.map(({ digest }) => digest);
}

/** Lists those of these digests that have no record. */
export async function listUnrecordedBlobs(db: Queryable, digests: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ digest: string }>(
    `select d.digest from unnest($1::text[]) as d(digest)
     where not exists (select from traces.blobs b where b.digest = d.digest)`,
    [digests],
  );
  return rows.map(({ digest }) => digest);
}

/** Locks a blob without a record for its removal; recording it waits meanwhile. False when it has a record. */
export async function lockForRemoval(tx: Transaction, digest: string): Promise<boolean> {
  const inserted = await tx.run(
    'insert into traces.blobs (digest, size) values ($1, 0) on conflict do nothing',
    [digest],
  );
  return inserted === 1;
}

export async function forgetBlob(tx: Transaction, digest: string): Promise<void> {
  await tx.run('delete from traces.blobs where digest = $1', [digest]);
}
