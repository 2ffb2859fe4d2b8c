import { createHash } from 'node:crypto';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { isWellFormed } from '@roadstead/contracts';
import type { SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { deleteClient, findClient, insertClient } from './client-store.ts';
import { findGrantPayload, writeGrantPayload } from '../records/grant-store.ts';
import { rotations } from './rotation-work.ts';
import {
  consumeRecord,
  deleteRecord,
  findRecord,
  findRecordByUserCode,
  type RecordRow,
  upsertRecord,
} from './record-store.ts';

export interface AdapterOptions {
  readonly db: Database;
  readonly secret_box: SecretBox;
  readonly revokeGrant: (id: string) => Promise<void>;
}

/** The library's storage in Postgres: clients, grants, and all else as sealed records. */
export function createAdapter(options: AdapterOptions): AdapterFactory {
  return (kind) => {
    if (kind === 'Client') return clientAdapter(options);
    return kind === 'Grant' ? grantAdapter(options) : recordAdapter(kind, options);
  };
}

const nothing = async () => undefined;

function clientAdapter({ db }: AdapterOptions): Adapter {
  return {
    upsert: (id, metadata) => insertClient(db, { id, metadata }),
    // Postgres takes well-formed text only.
    find: async (id) => (isWellFormed(id) ? findClient(db, id) : undefined),
    destroy: (id) => deleteClient(db, id),
    findByUid: nothing,
    findByUserCode: nothing,
    consume: nothing,
    revokeByGrantId: nothing,
  };
}

/** A grant's row is written when somebody consents; here the library adds what it needs to find again. */
function grantAdapter({ db, revokeGrant }: AdapterOptions): Adapter {
  return {
    upsert: (id, payload) => writeGrantPayload(db, { id, payload }),
    find: (id) => findGrantPayload(db, id),
    destroy: revokeGrant,
    findByUid: nothing,
    findByUserCode: nothing,
    consume: nothing,
    revokeByGrantId: revokeGrant,
  };
}

const hashOf = (value: string) => createHash('sha256').update(value).digest();

function recordAdapter(kind: string, { db, secret_box, revokeGrant }: AdapterOptions): Adapter {
  const rowName = (hash: Buffer) => `oauth ${kind} ${hash.toString('base64url')}`;
  /** The rotation of the request that is being answered: writes of the library wait for its answer. */
  const rotation = () => (kind === 'RefreshToken' ? rotations.getStore() : undefined);
  const isConsumed = ({ is_repeatable }: RecordRow) => !is_repeatable || rotation() === undefined;
  const opened = (row: RecordRow | undefined): AdapterPayload | undefined =>
    row && {
      ...(JSON.parse(secret_box.open(row.sealed, rowName(row.hash))) as AdapterPayload),
      ...(row.consumed_at !== null && isConsumed(row)
        ? { consumed: Math.floor(Date.parse(row.consumed_at) / 1000) }
        : {}),
    };
  const find = async (id: string) => opened(await findRecord(db, { kind, hash: hashOf(id) }));
  return {
    upsert: async (id, payload, expires_in_s = 0) => {
      const hash = hashOf(id);
      const record = {
        kind,
        hash,
        sealed: secret_box.seal(JSON.stringify(payload), rowName(hash)),
        grant_id: payload.grantId,
        user_code_hash: payload.userCode === undefined ? undefined : hashOf(payload.userCode),
        expires_in_s,
      };
      const rotating = rotation();
      if (rotating === undefined) await upsertRecord(db, record);
      else rotating.fresh = record;
    },
    find,
    findByUserCode: async (code) => opened(await findRecordByUserCode(db, hashOf(code))),
    findByUid: nothing,
    // The library checked before, but another request may have been faster: only one gets tokens for a code.
    consume: async (id) => {
      const rotating = rotation();
      if (rotating !== undefined) return void (rotating.used = hashOf(id));
      if (await consumeRecord(db, { kind, hash: hashOf(id) })) return;
      const { errors } = await import('oidc-provider');
      const grant_id = (await find(id))?.grantId;
      if (grant_id !== undefined) await revokeGrant(grant_id);
      throw new errors.InvalidGrant('it was used already');
    },
    destroy: (id) => deleteRecord(db, { kind, hash: hashOf(id) }),
    revokeByGrantId: revokeGrant,
  };
}
