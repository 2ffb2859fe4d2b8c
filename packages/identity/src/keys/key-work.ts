import type { ApiKey } from '@roadstead/contracts/identity';
import { Problem } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { type Caller, lockMaker, type RecordChange } from '../credentials/credentials.ts';
import { handOn, isInSight, type Reach, refuseBeyond } from '../handing-on/handing-on-rules.ts';
import { findKeyReach, insertKey, renameKey, revokeKey, revokeListenerKeys } from '../records/key-store.ts';

export interface KeyRequest {
  readonly name: string;
  readonly scopes: Reach['scopes'];
  readonly subject?: string | null | undefined;
  readonly expires_at?: string | null | undefined;
}

export async function createKey(
  db: Database,
  { caller, name, ...asked }: KeyRequest & { readonly caller: Caller },
): Promise<ApiKey & { readonly key: string }> {
  return db.transaction(async (tx) =>
    insertKey(tx, { name, ...handOn('key', await lockMaker(tx, caller), asked) }),
  );
}

/** Replaces the keys that the listener had. @returns also the hashes of the replaced keys. */
export async function createListenerKey(
  db: Database,
  {
    caller,
    listener_id,
    name,
  }: { readonly caller: Caller; readonly listener_id: string; readonly name: string },
): Promise<{ readonly made: ApiKey & { readonly key: string }; readonly ended: readonly Buffer[] }> {
  return db.transaction(async (tx) => {
    const reach = handOn('listener', await lockMaker(tx, caller), { listener_id, scopes: ['listener'] });
    const ended = await revokeListenerKeys(tx, { workspace_id: reach.workspace_id, listener_id });
    return { ended, made: await insertKey(tx, { name, ...reach }) };
  });
}

export async function changeKey(
  db: Database,
  { name, ...change }: RecordChange & { readonly name: string },
): Promise<ApiKey> {
  return db.transaction(async (tx) => known(await renameKey(tx, { ...(await lockKey(tx, change)), name })));
}

/** @returns the hash of the key. */
export async function endKey(db: Database, change: RecordChange): Promise<Buffer> {
  return db.transaction(async (tx) => known(await revokeKey(tx, await lockKey(tx, change))));
}

/** A bound caller changes and ends only what is bound in the same way. */
async function lockKey(tx: Transaction, { caller, id }: RecordChange) {
  const maker = await lockMaker(tx, caller, `key:${id}`);
  const key = known(await findKeyReach(tx, { workspace_id: maker.workspace_id, id }));
  if (!isInSight(maker, key)) throw noKey();
  refuseBeyond(maker, { ...key, scopes: [] });
  return { workspace_id: maker.workspace_id, id };
}

export const noKey = () => new Problem('not_found', 'There is no such API key.');

function known<T>(found: T | undefined): T {
  if (found === undefined) throw noKey();
  return found;
}
