import { createHash } from 'node:crypto';
import { KEY_PREFIX, type Scope } from '@roadstead/contracts';
import type { ApiKey } from '@roadstead/contracts/identity';
import { randomToken, type Span, uuidv7 } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { Reach, Sight } from '../handing-on/handing-on-rules.ts';
import { inSight, sightValues } from '../handing-on/sight-conditions.ts';
import type { RowKey } from './keys.ts';

export interface NewKey {
  readonly workspace_id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly deployment_id?: string | null | undefined;
  readonly listener_id?: string | null | undefined;
  readonly subject?: string | null | undefined;
  readonly expires_at?: string | null | undefined;
  /** The plain text; one is drawn when absent. */
  readonly key?: string | undefined;
}

/** A key, and a name: the one that it has, or the one that it gets. */
interface KeyName extends RowKey {
  readonly name: string;
}

/** A key's rights; its plain text is stored nowhere. */
export interface KeyRow extends Reach {
  readonly id: string;
}

const columns = `id, workspace_id, name, scopes, hint, deployment_id, listener_id, subject, created_at, last_used_at,
  expires_at`;
/** The condition that a key gives access: neither revoked nor expired, and of no workspace that is being deleted. */
const opens = `revoked_at is null and (expires_at is null or expires_at > now())
  and not exists (select from workspaces w where w.id::text = api_keys.workspace_id and w.deleting_at is not null)`;

/** Enough to distinguish keys; of a short key that an operator chose, no more than a quarter. */
function hintOf(key: string): string {
  return key.slice(0, Math.min(7, Math.floor(key.length / 4)));
}

export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

export async function insertKey(db: Queryable, fresh: NewKey): Promise<ApiKey & { key: string }> {
  const key = fresh.key ?? `${KEY_PREFIX}${randomToken(32)}`;
  const row = await db.one<ApiKey>(
    `insert into api_keys (id, workspace_id, name, hash, hint, scopes, deployment_id, expires_at, listener_id, subject)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${columns}`,
    [
      uuidv7(),
      fresh.workspace_id,
      fresh.name,
      hashOf(key),
      hintOf(key),
      fresh.scopes,
      fresh.deployment_id ?? null,
      fresh.expires_at ?? null,
      fresh.listener_id ?? null,
      fresh.subject ?? null,
    ],
  );
  return { ...row, key };
}

/** Creates or updates the platform's own key of this plain text. A revoked key stays revoked. */
export async function upsertManagedKey(
  db: Queryable,
  wanted: NewKey & { readonly key: string },
): Promise<{ readonly id: string; readonly hash: Buffer; readonly revoked: boolean }> {
  return db.one(
    `insert into api_keys (id, workspace_id, name, hash, hint, scopes, deployment_id, expires_at, listener_id, subject, managed)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, true)
     on conflict (hash) do update set workspace_id = excluded.workspace_id, name = excluded.name,
       scopes = excluded.scopes, deployment_id = excluded.deployment_id, expires_at = excluded.expires_at,
       listener_id = excluded.listener_id, subject = excluded.subject, managed = true
     returning id, hash, revoked_at is not null as revoked`,
    [
      uuidv7(),
      wanted.workspace_id,
      wanted.name,
      hashOf(wanted.key),
      hintOf(wanted.key),
      wanted.scopes,
      wanted.deployment_id ?? null,
      wanted.expires_at ?? null,
      wanted.listener_id ?? null,
      wanted.subject ?? null,
    ],
  );
}

/**
 * Removes the platform's own earlier keys of this name. Callers' keys of the same name stay, and so do the rows of
 * revoked keys, which record that they were revoked.
 */
export async function revokeManagedBut(db: Queryable, kept: KeyName): Promise<Buffer[]> {
  const rows = await db.query<{ hash: Buffer }>(
    `delete from api_keys
     where managed and workspace_id = $1 and name = $2 and id <> $3 and revoked_at is null returning hash`,
    [kept.workspace_id, kept.name, kept.id],
  );
  return rows.map((row) => row.hash);
}

export async function findKey(db: Queryable, hash: Buffer): Promise<KeyRow | undefined> {
  return db.maybe<KeyRow>(
    `select id, workspace_id, scopes, listener_id, deployment_id, subject, expires_at from api_keys where hash = $1 and ${opens}`,
    [hash],
  );
}

/** Finds a key by its id while it gives access. */
export async function findKeyById(
  db: Queryable,
  id: string,
): Promise<(KeyRow & { readonly name: string }) | undefined> {
  return db.maybe(
    `select id, workspace_id, name, scopes, listener_id, deployment_id, subject, expires_at from api_keys
     where id = $1 and ${opens}`,
    [id],
  );
}

/** Records the use at most once a minute, so that calls don't each write a row. */
export async function recordKeyUse(db: Queryable, id: string): Promise<void> {
  await db.run(
    `update api_keys set last_used_at = now() where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [id],
  );
}

export async function listKeys(
  db: Queryable,
  workspace_id: string,
  page: Span & {
    readonly deployment_id: string | undefined;
    /** The caller's sight. */
    readonly sight: Sight;
  },
): Promise<ApiKey[]> {
  return db.query<ApiKey>(
    `select ${columns} from api_keys
     where workspace_id = $1 and revoked_at is null and ($2::uuid is null or id > $2)
       and ($3::uuid is null or deployment_id = $3) and ${inSight('api_keys', 5)}
     order by id limit $4`,
    [workspace_id, page.after ?? null, page.deployment_id ?? null, page.limit, ...sightValues(page.sight)],
  );
}

/** A key as lists show it. */
export async function findShownKey(db: Queryable, { workspace_id, id }: RowKey): Promise<ApiKey | undefined> {
  return db.maybe(
    `select ${columns} from api_keys where id = $1 and workspace_id = $2 and revoked_at is null`,
    [id, workspace_id],
  );
}

/** How far a key reaches, or reached until it ended. */
export async function findKeyReach(db: Queryable, { workspace_id, id }: RowKey): Promise<KeyRow | undefined> {
  return db.maybe<KeyRow>(
    `select id, workspace_id, scopes, listener_id, deployment_id, subject, expires_at from api_keys
     where id = $1 and workspace_id = $2 and revoked_at is null`,
    [id, workspace_id],
  );
}

/** Undefined when there is no such key. */
export async function renameKey(
  db: Queryable,
  { workspace_id, id, name }: KeyName,
): Promise<ApiKey | undefined> {
  return db.maybe(
    `update api_keys set name = $3 where id = $1 and workspace_id = $2 and revoked_at is null returning ${columns}`,
    [id, workspace_id, name],
  );
}

/** Revokes the keys of a listener. @returns their hashes. */
export async function revokeListenerKeys(
  db: Queryable,
  { workspace_id, listener_id }: { readonly workspace_id: string; readonly listener_id: string },
): Promise<Buffer[]> {
  const rows = await db.query<{ hash: Buffer }>(
    `update api_keys set revoked_at = now()
     where listener_id = $1 and workspace_id = $2 and revoked_at is null returning hash`,
    [listener_id, workspace_id],
  );
  return rows.map(({ hash }) => hash);
}

/** Revokes a key. @returns its hash; undefined when no such key exists. */
export async function revokeKey(db: Queryable, { workspace_id, id }: RowKey): Promise<Buffer | undefined> {
  const row = await db.maybe<{ hash: Buffer }>(
    'update api_keys set revoked_at = now() where id = $1 and workspace_id = $2 and revoked_at is null returning hash',
    [id, workspace_id],
  );
  return row?.hash;
}
