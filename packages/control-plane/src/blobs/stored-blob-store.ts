import type { StoredBlob, Transaction } from '@roadstead/kit';

/** Notes that a blob lies there, and that it was wanted just now. */
export async function noteBlob(tx: Transaction, { digest, size }: StoredBlob): Promise<void> {
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

/** Notes a blob that is to be removed, so that whoever notes it meanwhile waits; false when it is noted already. */
export async function noteForRemoval(tx: Transaction, digest: string): Promise<boolean> {
  const inserted = await tx.run(
    'insert into stored_blobs (digest, size) values ($1, 0) on conflict do nothing',
    [digest],
  );
  return inserted === 1;
}

export async function forgetBlob(tx: Transaction, digest: string): Promise<void> {
  await tx.run('delete from stored_blobs where digest = $1', [digest]);
}
