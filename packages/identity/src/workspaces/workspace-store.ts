import { ALL_WORKSPACES } from '@roadstead/contracts';
import type { Queryable } from '@roadstead/kit';

export interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
}

/** Makes a workspace of this id exist; one that does keeps its name. */
export async function ensureWorkspace(
  db: Queryable,
  { id, name }: Pick<WorkspaceRow, 'id' | 'name'>,
): Promise<void> {
  await db.run('insert into workspaces (id, name) values ($1, $2) on conflict (id) do nothing', [id, name]);
}

/** Undefined when there is one of this id already. */
export async function insertWorkspace(
  db: Queryable,
  { id, name }: Pick<WorkspaceRow, 'id' | 'name'>,
): Promise<WorkspaceRow | undefined> {
  return db.maybe(
    'insert into workspaces (id, name) values ($1, $2) on conflict (id) do nothing returning id, name, created_at',
    [id, name],
  );
}

/** Undefined when there is no such workspace. */
export async function renameWorkspace(
  db: Queryable,
  { id, name }: Pick<WorkspaceRow, 'id' | 'name'>,
): Promise<WorkspaceRow | undefined> {
  return db.maybe('update workspaces set name = $2 where id = $1 returning id, name, created_at', [id, name]);
}

/** Those that a key of this workspace reaches: its own, or all. */
export async function listWorkspaces(db: Queryable, workspace_id: string): Promise<WorkspaceRow[]> {
  return db.query(
    'select id, name, created_at from workspaces where $1 = $2 or id::text = $1 order by created_at',
    [workspace_id, ALL_WORKSPACES],
  );
}

export async function findWorkspace(db: Queryable, id: string): Promise<WorkspaceRow | undefined> {
  return db.maybe('select id, name, created_at from workspaces where id::text = $1', [id]);
}
