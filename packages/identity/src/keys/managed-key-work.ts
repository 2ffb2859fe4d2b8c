import { KEY_PREFIX } from '@roadstead/contracts';
import { randomToken } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { type NewKey, revokeManagedBut, upsertManagedKey } from '../records/key-store.ts';

export interface ManagedKey {
  readonly id: string;
  readonly key: string;
  /** Whether somebody revoked it; then it stays revoked. */
  readonly revoked: boolean;
  /** Hashes of the keys that edges must look up again. */
  readonly changed: readonly Buffer[];
}

/** Creates or updates a key of the platform's own, and removes its earlier ones of the same name. */
export async function ensureManagedKey(db: Database, asked: NewKey): Promise<ManagedKey> {
  const workspace_id = asked.workspace_id.toLowerCase();
  const key = asked.key ?? KEY_PREFIX + randomToken(32);
  return db.transaction(async (tx) => {
    const { id, hash, revoked } = await upsertManagedKey(tx, { ...asked, workspace_id, key });
    const others = await revokeManagedBut(tx, { workspace_id, name: asked.name, id });
    return { id, key, revoked, changed: [hash, ...others] };
  });
}
