import { createHash, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import {
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  type SigningKeyRow,
} from './signing-key-store.ts';

/** Keys that sign access tokens. Every process reads them from the database; the newest signs. */
export interface SigningKey {
  readonly id: string;
  readonly private_key: JsonWebKey;
  readonly public_key: JsonWebKey;
}

const ROTATED_MS = 30 * 86_400_000;
/** How long a key is trusted after another has taken its place: its last tokens live an hour. */
const KEPT_MS = 86_400_000;

interface KeysOptions {
  readonly db: Database;
  readonly secret_box: SecretBox;
  readonly now: () => number;
}

/** Makes a new key when it is due, and removes keys whose tokens have all expired. */
export async function ensureSigningKeys({
  db,
  secret_box,
  now,
}: KeysOptions): Promise<readonly SigningKey[]> {
  const found = await listSigningKeys(db);
  if (!isDue(found, { secret_box, now })) return openable(found, secret_box);
  return db.transaction(async (tx) => {
    const locked = await lockSigningKeys(tx);
    const rows = await listSigningKeys(locked);
    if (!isDue(rows, { secret_box, now })) return openable(rows, secret_box);
    const made = createKey(secret_box, now());
    await insertSigningKey(locked, made);
    return openable([made, ...rows], secret_box);
  });
}

export async function removeOldSigningKeys({ db, now }: KeysOptions): Promise<number> {
  return db.transaction(async (tx) => {
    const locked = await lockSigningKeys(tx);
    const rows = await listSigningKeys(locked);
    const old = rows.filter(
      (_, at) => at > 0 && now() - Date.parse(rows[at - 1]?.created_at ?? '') > KEPT_MS,
    );
    await deleteSigningKeys(
      locked,
      old.map(({ id }) => id),
    );
    return old.length;
  });
}

function isDue(rows: readonly SigningKeyRow[], { secret_box, now }: Omit<KeysOptions, 'db'>): boolean {
  const [newest] = rows;
  return (
    newest === undefined ||
    now() - Date.parse(newest.created_at) > ROTATED_MS ||
    openable([newest], secret_box).length === 0
  );
}

function createKey(secret_box: SecretBox, now: number): SigningKeyRow {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' });
  const id = createHash('sha256').update(JSON.stringify(jwk)).digest('base64url').slice(0, 22);
  const extra = { kid: id, use: 'sig', alg: 'EdDSA' };
  const private_key = JSON.stringify({ ...privateKey.export({ format: 'jwk' }), ...extra });
  return {
    id,
    sealed: secret_box.seal(private_key, rowName(id)),
    public_key: { ...jwk, ...extra },
    created_at: new Date(now).toISOString(),
  };
}

/** A key signs nothing more once the secret that sealed it is gone. */
function openable(rows: readonly SigningKeyRow[], secret_box: SecretBox): SigningKey[] {
  return rows.flatMap(({ id, sealed, public_key }) => {
    try {
      return [
        { id, public_key, private_key: JSON.parse(secret_box.open(sealed, rowName(id))) as JsonWebKey },
      ];
    } catch {
      return [];
    }
  });
}

const rowName = (id: string) => `oauth signing key ${id}`;
