import { ALL_WORKSPACES } from '@roadstead/contracts';
import { type UnderLock, nowLocked, type Queryable, type Transaction } from '@roadstead/postgres';
import type { Ancestor } from './lineage-rules.ts';

export interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly deleting: boolean;
}

/** A workspace as people know it. */
export type NamedWorkspace = Pick<WorkspaceRow, 'id' | 'name'>;

const columns = 'id, name, created_at, deleting_at is not null as deleting';

/** Makes sure that a workspace of this id exists; an existing one keeps its name. */
export async function ensureWorkspace(db: Queryable, { id, name }: NamedWorkspace): Promise<void> {
  await db.run('insert into workspaces (id, name) values ($1, $2) on conflict (id) do nothing', [id, name]);
}

/** Lets one transaction at a time decide whether another workspace may be made. */
export async function lockLineage(tx: Transaction): Promise<UnderLock<'lineage of workspaces'>> {
  await tx.run('lock table workspaces in share row exclusive mode');
  return nowLocked(tx);
}

/** A workspace, the one that made it, and so on. */
export async function listAncestors(
  tx: UnderLock<'lineage of workspaces'>,
  workspace_id: string,
): Promise<Ancestor[]> {
  return tx.query(
    `with recursive up as (
       select id, created_by from workspaces where id::text = $1
       union select w.id, w.created_by from workspaces w join up on w.id = up.created_by
     ), down as (
       select up.id as ancestor, w.id from up join workspaces w on w.created_by = up.id
       union select down.ancestor, w.id from down join workspaces w on w.created_by = down.id
     )
     select created_by is not null as is_made,
       (select count(*)::int from down where ancestor = up.id) as descendants from up`,
    [workspace_id],
  );
}

/** Undefined when a workspace of this id exists already. */
export async function insertWorkspace(
  db: UnderLock<'lineage of workspaces'>,
  { id, name, created_by }: NamedWorkspace & { readonly created_by: string },
): Promise<WorkspaceRow | undefined> {
  return db.maybe(
    `insert into workspaces (id, name, created_by) values ($1, $2, $3) on conflict (id) do nothing returning ${columns}`,
    [id, name, created_by],
  );
}

/** Undefined when no such workspace exists. */
export async function renameWorkspace(
  db: Queryable,
  { id, name }: NamedWorkspace,
): Promise<WorkspaceRow | undefined> {
  return db.maybe(`update workspaces set name = $2 where id = $1 returning ${columns}`, [id, name]);
}

/** Lists the workspaces that a key of this one reaches: its own, or all. With `created` also those that it created. */
export async function listWorkspaces(
  db: Queryable,
  workspace_id: string,
  { created = false }: { readonly created?: boolean | undefined } = {},
): Promise<WorkspaceRow[]> {
  return db.query(
    `select ${columns} from workspaces
     where $1 = $2 or id::text = $1 or ($3 and created_by::text = $1) order by created_at, id`,
    [workspace_id, ALL_WORKSPACES, created],
  );
}

export async function findWorkspace(db: Queryable, id: string): Promise<WorkspaceRow | undefined> {
  return db.maybe(`select ${columns} from workspaces where id::text = $1`, [id]);
}

/** Finds the caller's own workspace, or one that it created. */
export async function findOwnWorkspace(
  db: Queryable,
  { id, workspace_id }: { readonly id: string; readonly workspace_id: string },
): Promise<WorkspaceRow | undefined> {
  return db.maybe(`select ${columns} from workspaces where id = $1 and $2 in (id::text, created_by::text)`, [
    id,
    workspace_id,
  ]);
}

/**
 * Marks a workspace; from the commit on its credentials give no access.
 * @returns the hashes of its keys, which an edge may have cached.
 */
export async function markDeleting(tx: Transaction, id: string): Promise<Buffer[]> {
  await tx.run('update workspaces set deleting_at = coalesce(deleting_at, now()) where id = $1', [id]);
  const rows = await tx.query<{ hash: Buffer }>('select hash from api_keys where workspace_id = $1', [id]);
  return rows.map(({ hash }) => hash);
}

export async function listDeleting(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    'select id from workspaces where deleting_at is not null order by deleting_at',
  );
  return rows.map(({ id }) => id);
}

/** How long the deletion has been going on; undefined when the workspace is gone, or is not being deleted. */
export async function findDeletionAge(db: Queryable, id: string): Promise<number | undefined> {
  const row = await db.maybe<{ age_ms: number }>(
    `select (extract(epoch from now() - deleting_at) * 1000)::float8 as age_ms from workspaces
     where id = $1 and deleting_at is not null`,
    [id],
  );
  return row?.age_ms;
}

/** Erases the last of a workspace: everything that identity holds of it. */
export async function eraseWorkspace(tx: Transaction, id: string): Promise<void> {
  await tx.run(
    'delete from oauth_records where grant_id in (select id from oauth_grants where workspace_id = $1::uuid)',
    [id],
  );
  await tx.run('delete from oauth_grants where workspace_id = $1::uuid', [id]);
  await forgetSubjects(tx, id);
  await tx.run('delete from users where workspace_id = $1', [id]);
  await tx.run('delete from api_keys where workspace_id = $1', [id]);
  // The workspaces that it made now belong to its own maker.
  await tx.run(
    `update workspaces set created_by = (select created_by from workspaces where id = $1::uuid)
     where created_by = $1::uuid`,
    [id],
  );
  await tx.run('delete from workspaces where id = $1::uuid and deleting_at is not null', [id]);
}

/** Removes the keys and users of a workspace from the browsers where they are signed in. */
async function forgetSubjects(tx: Transaction, id: string): Promise<void> {
  const rows = await tx.query<{ subject: string }>(
    `select 'user:' || id as subject from users where workspace_id = $1
     union all select 'key:' || id from api_keys where workspace_id = $1`,
    [id],
  );
  const subjects = rows.map(({ subject }) => subject);
  await tx.run('delete from sign_in_links where subject = any($1)', [subjects]);
  await tx.run(
    `update sessions set subjects = array(select one from unnest(subjects) one where one <> all($1))
     where subjects && $1`,
    [subjects],
  );
}
