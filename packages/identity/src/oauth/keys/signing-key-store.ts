import type { JsonWebKey } from 'node:crypto';
import { nowLocked, type UnderLock, type Queryable, type Transaction } from '@roadstead/postgres';

export interface SigningKeyRow {
  readonly id: string;
  readonly sealed: string;
  readonly public_key: JsonWebKey;
  readonly created_at: string;
}

/** The newest comes first. */
export async function listSigningKeys(db: Queryable): Promise<SigningKeyRow[]> {
  return db.query(
    'select id, sealed, public_key, created_at from oauth_signing_keys order by created_at desc, id',
  );
}

/** One process at a time decides whether a new key is due. */
export async function lockSigningKeys(tx: Transaction): Promise<UnderLock<'signing keys'>> {
  await tx.run('lock table oauth_signing_keys in share row exclusive mode');
  return nowLocked(tx);
}

export async function insertSigningKey(
  tx: UnderLock<'signing keys'>,
  { id, sealed, public_key, created_at }: SigningKeyRow,
): Promise<void> {
  await tx.run(
    'insert into oauth_signing_keys (id, sealed, public_key, created_at) values ($1, $2, $3, $4)',
    [id, sealed, JSON.stringify(public_key), created_at],
  );
}

export async function deleteSigningKeys(
  tx: UnderLock<'signing keys'>,
  ids: readonly string[],
): Promise<void> {
  await tx.run('delete from oauth_signing_keys where id = any($1)', [ids]);
}
