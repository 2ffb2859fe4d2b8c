import { ALL_WORKSPACES, type Scope } from '@roadstead/contracts';
import { isUuid, type Queryable } from '@roadstead/kit';
import { findKeyById } from '../keys/key-store.ts';
import { findUser } from '../users/user-store.ts';
import { findWorkspace } from '../workspaces/workspace-store.ts';

/** Whoever may authorize an application for one workspace: a key, or a user. */
export interface Subject {
  /** `key:{id}` or `user:{id}`. */
  readonly id: string;
  /** Changes when what was signed in before is to end. */
  readonly version: number;
  /** For people. */
  readonly name: string;
  readonly workspace: { readonly id: string; readonly name: string };
  /** The most that it may let an application do. */
  readonly scopes: readonly Scope[];
}

/** Undefined when it is gone: the key revoked or expired, the user removed. */
export async function findSubject(db: Queryable, id: string): Promise<Subject | undefined> {
  const [kind, row_id = ''] = id.split(':');
  if (!isUuid(row_id)) return undefined;
  const row =
    kind === 'key' ? await keyRow(db, row_id) : kind === 'user' ? await findUser(db, row_id) : undefined;
  if (row === undefined || row.workspace_id === ALL_WORKSPACES) return undefined;
  const workspace = await findWorkspace(db, row.workspace_id);
  return {
    id,
    version: row.password_version,
    name: row.name,
    workspace: { id: row.workspace_id, name: workspace?.name ?? row.workspace_id },
    scopes: row.scopes,
  };
}

async function keyRow(db: Queryable, id: string) {
  const row = await findKeyById(db, id);
  return row === undefined ? undefined : { ...row, name: `API key ${row.name}`, password_version: 0 };
}
