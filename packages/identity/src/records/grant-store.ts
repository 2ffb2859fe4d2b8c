import type { Scope } from '@roadstead/contracts';
import { CONSOLE_CLIENT, type Grant } from '@roadstead/contracts/identity';
import type { Span } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { Sight } from '../handing-on/handing-on-rules.ts';
import { inSight, sightValues } from '../handing-on/sight-conditions.ts';
import type { RowKey } from './keys.ts';
import type { Subject } from './subject-work.ts';

const columns =
  'id, workspace_id, subject, client_id, client_name, scopes, created_at, last_used_at, expires_at';
const alive = `revoked_at is null and expires_at > now()
  and not exists (select from workspaces w where w.id = workspace_id and w.deleting_at is not null)`;

export interface GrantRow extends Grant {
  /** The version of the subject when it consented: a new password changes it. */
  readonly subject_version: number;
  /** The session of a browser that it ends with: only the console's have one. */
  readonly session_id: string | null;
}

export async function insertGrant(
  db: Queryable,
  grant: {
    readonly id: string;
    readonly subject: Subject;
    readonly client_id: string;
    readonly client_name: string | null;
    readonly scopes: readonly Scope[];
    readonly lifetime_s: number;
    /** The session of a browser that it ends with. */
    readonly session_id: string | undefined;
  },
): Promise<void> {
  await db.run(
    `with used as (update oauth_clients set used_at = now() where id = $4)
     insert into oauth_grants (id, workspace_id, subject, client_id, client_name, scopes, expires_at, subject_version,
       session_id)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7), $8, $9)`,
    [
      grant.id,
      grant.subject.workspace.id,
      grant.subject.id,
      grant.client_id,
      grant.client_name,
      grant.scopes,
      grant.lifetime_s,
      grant.subject.version,
      grant.session_id ?? null,
    ],
  );
}

export async function findGrant(db: Queryable, id: string): Promise<GrantRow | undefined> {
  return db.maybe<GrantRow>(
    `select ${columns}, subject_version, session_id from oauth_grants where id::text = $1 and ${alive}`,
    [id],
  );
}

export async function writeGrantPayload(
  db: Queryable,
  { id, payload }: { readonly id: string; readonly payload: object },
): Promise<void> {
  await db.run('update oauth_grants set payload = $2 where id = $1', [id, JSON.stringify(payload)]);
}

export async function findGrantPayload(
  db: Queryable,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const row = await db.maybe<{ payload: Record<string, unknown> | null }>(
    `select payload from oauth_grants where id::text = $1 and ${alive}`,
    [id],
  );
  return row?.payload ?? undefined;
}

/** Records the use at most once a minute, so that calls don't each write a row. */
export async function recordGrantUse(db: Queryable, id: string): Promise<void> {
  await db.run(
    `update oauth_grants set last_used_at = now()
     where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [id],
  );
}

const ofSubject = (table: 'api_keys' | 'users', first: number) =>
  `exists (select from ${table}
     where id = split_part(oauth_grants.subject, ':', 2)::uuid and ${inSight(table, first)})`;

/** The grants in a sight whose values begin at this parameter; whether their subjects may still give access does not matter. */
const inSightOf = (first: number) =>
  `(($${first}::text is null and $${first + 1}::uuid is null and $${first + 2}::uuid is null)
     or ${ofSubject('api_keys', first)} or ${ofSubject('users', first)})`;

export async function listGrants(
  db: Queryable,
  workspace_id: string,
  page: Span & {
    readonly subject: string | undefined;
    /** The caller's sight: a grant is bound as the person who consented is. */
    readonly sight: Sight;
  },
): Promise<Grant[]> {
  return db.query<Grant>(
    `select ${columns} from oauth_grants
     where workspace_id = $1 and ${alive} and client_id <> '${CONSOLE_CLIENT}'
       and ($2::uuid is null or id > $2) and ($3::text is null or subject = $3)
       and ${inSightOf(5)}
     order by id limit $4`,
    [workspace_id, page.after ?? null, page.subject ?? null, page.limit, ...sightValues(page.sight)],
  );
}

/** Whether a caller sees a grant that is alive, by the rule of the list. */
export async function isGrantSeen(
  db: Queryable,
  { id, workspace_id, sight }: RowKey & { readonly sight: Sight },
): Promise<boolean> {
  const found = await db.maybe(
    `select from oauth_grants where id::text = $1 and workspace_id = $2 and ${alive} and ${inSightOf(3)}`,
    [id, workspace_id, ...sightValues(sight)],
  );
  return found !== undefined;
}

/** Revokes a grant with all of its codes and refresh tokens. False for one that is revoked or unknown. */
export async function revokeGrant(
  db: Queryable,
  { id, workspace_id }: { readonly id: string; readonly workspace_id?: string },
): Promise<boolean> {
  const rows = await db.query(
    `with revoked as (
       update oauth_grants set revoked_at = now(), payload = null
       where id::text = $1 and ($2::uuid is null or workspace_id = $2) and revoked_at is null returning id
     ), gone as (delete from oauth_records where grant_id in (select id from revoked))
     select id from revoked`,
    [id, workspace_id ?? null],
  );
  return rows.length > 0;
}

/** Ends what the console may do in these sessions, or anywhere for these subjects. */
export async function revokeConsoleGrants(
  db: Queryable,
  of: { readonly session_ids: readonly string[]; readonly subjects: readonly string[] },
): Promise<void> {
  await db.run(
    `with revoked as (
       update oauth_grants set revoked_at = now(), payload = null
       where session_id is not null and revoked_at is null
         and (session_id = any($1::uuid[]) or subject = any($2)) returning id
     )
     delete from oauth_records where grant_id in (select id from revoked)`,
    [of.session_ids, of.subjects],
  );
}

/** Removes grants that ended long ago, and those without any code or refresh token, which nobody can use again. */
export async function deleteEndedGrants(db: Queryable): Promise<number> {
  return db.run(
    `delete from oauth_grants g
     where expires_at < now() - interval '30 days' or revoked_at < now() - interval '30 days'
        or (revoked_at is null and created_at < now() - interval '2 hours'
          and not exists (select from oauth_records r where r.grant_id = g.id))`,
  );
}
