import { roleOf, type Scope } from '@roadstead/contracts';
import type { User } from '@roadstead/contracts/identity';
import type { Span } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import type { Reach, Sight } from '../handing-on/handing-on-rules.ts';
import { inSight, sightValues } from '../handing-on/sight-conditions.ts';
import type { RowKey } from './keys.ts';

/** The fields of a user that a sign-in needs; no answer shows them. */
export interface UserRow extends Reach {
  readonly id: string;
  readonly name: string;
  /** Null for who signs in at the company. */
  readonly password: string | null;
  readonly password_version: number;
}

const shown = `id, workspace_id, name, scopes, subject, expires_at, created_at, password_changed_at, last_sign_in_at,
  issuer as signs_in_at`;
type ShownRow = Omit<User, 'role'>;

const withRole = <T extends ShownRow>(row: T) => ({ ...row, role: roleOf(row.scopes) });
/** The condition that a user may sign in: not expired, and of no workspace that is being deleted. */
const ofLiving = `(expires_at is null or expires_at > now()) and not exists (
  select from workspaces w where w.id::text = users.workspace_id and w.deleting_at is not null)`;
const needed = `id, workspace_id, name, password, password_version, scopes, subject, deployment_id, listener_id,
  expires_at`;

/** Undefined when the workspace has a user of this name. */
export async function insertUser(
  db: Queryable,
  fresh: Omit<UserRow, 'password_version'>,
): Promise<User | undefined> {
  const row = await db.maybe<ShownRow>(
    `insert into users
       (id, workspace_id, name, password, scopes, subject, deployment_id, listener_id, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (name, workspace_id) do nothing returning ${shown}`,
    [
      fresh.id,
      fresh.workspace_id,
      fresh.name,
      fresh.password,
      fresh.scopes,
      fresh.subject,
      fresh.deployment_id,
      fresh.listener_id,
      fresh.expires_at,
    ],
  );
  return row && withRole(row);
}

export async function listUsers(
  db: Queryable,
  page: Span & {
    readonly workspace_id: string;
    readonly name: string | undefined;
    /** The caller's sight. */
    readonly sight: Sight;
  },
): Promise<User[]> {
  const rows = await db.query<ShownRow>(
    `select ${shown} from users
     where workspace_id = $1 and ($2::text is null or name = $2) and ($3::uuid is null or id > $3)
       and ${inSight('users', 5)}
     order by id limit $4`,
    [page.workspace_id, page.name ?? null, page.after ?? null, page.limit, ...sightValues(page.sight)],
  );
  return rows.map(withRole);
}

/** The users of this name, one for each workspace. */
export async function listUsersOfName(db: Queryable, name: string): Promise<UserRow[]> {
  return db.query(
    `select ${needed} from users where name = $1 and password is not null and ${ofLiving} order by id`,
    [name],
  );
}

export async function findUser(db: Queryable, id: string): Promise<UserRow | undefined> {
  return db.maybe(`select ${needed} from users where id = $1 and ${ofLiving}`, [id]);
}

/** Finds a user, also one that has expired. */
export async function findUserOf(db: Queryable, { id, workspace_id }: RowKey): Promise<UserRow | undefined> {
  return db.maybe(`select ${needed} from users where id = $1 and workspace_id = $2`, [id, workspace_id]);
}

export async function updateUser(
  tx: Transaction,
  change: {
    readonly id: string;
    readonly password?: string | undefined;
    readonly scopes?: readonly Scope[] | undefined;
  },
): Promise<User> {
  const row = await tx.one<ShownRow>(
    `update users set scopes = coalesce($2, scopes), password = coalesce($3, password),
       password_version = password_version + ($3::text is not null)::int,
       password_changed_at = case when $3::text is null then password_changed_at else now() end
     where id = $1 returning ${shown}`,
    [change.id, change.scopes ?? null, change.password ?? null],
  );
  return withRole(row);
}

/** Stores the same password with a new hash, unless it was changed meanwhile. */
export async function rehashUser(
  db: Queryable,
  { id, password, password_version }: Pick<UserRow, 'id' | 'password' | 'password_version'>,
): Promise<void> {
  await db.run('update users set password = $2 where id = $1 and password_version = $3', [
    id,
    password,
    password_version,
  ]);
}

export async function recordSignIn(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.run('update users set last_sign_in_at = now() where id = any($1)', [ids]);
}

/** Deletes a user. @returns whether it existed. */
export async function deleteUser(db: Queryable, { id, workspace_id }: RowKey): Promise<boolean> {
  return (await db.run('delete from users where id = $1 and workspace_id = $2', [id, workspace_id])) > 0;
}
