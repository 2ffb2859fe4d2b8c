import type { StoredBlob } from '@roadstead/blobs';
import type { Transaction } from '@roadstead/postgres';

/** Records that a blob is stored, and that it was asked for just now. */
export async function recordBlob(tx: Transaction, { digest, size }: StoredBlob): Promise<void> {
  await tx.run(
    `insert into stored_blobs (digest, size) values ($1, $2)
     on conflict (digest) do update set put_at = now()`,
    [digest, size],
  );
}

/** Holds a blob against removal until the transaction ends, and a day longer; false when it is gone. */
export async function keepBlob(tx: Transaction, digest: string): Promise<boolean> {
  return (await tx.run('update stored_blobs set put_at = now() where digest = $1', [digest])) === 1;
}

/** Locks a blob without a record for its removal: recording it meanwhile waits. False when it has a record. */
export async function lockForRemoval(tx: Transaction, digest: string): Promise<boolean> {
  const inserted = await tx.run(
    'insert into stored_blobs (digest, size) values ($1, 0) on conflict do nothing',
    [digest],
  );
  return inserted === 1;
}

export async function forgetBlob(tx: Transaction, digest: string): Promise<void> {
  await tx.run('delete from stored_blobs where digest = $1', [digest]);
}
