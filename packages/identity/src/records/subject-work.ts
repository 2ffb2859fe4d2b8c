import { ALL_WORKSPACES } from '@roadstead/contracts';
import { isUuid } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { Reach } from '../handing-on/handing-on-rules.ts';
import { findKeyById } from './key-store.ts';
import { findUser } from './user-store.ts';
import { findWorkspace, type NamedWorkspace } from './workspace-store.ts';

/** A key or a user who may authorize an application for one workspace, as far as they reach themselves. */
export interface Subject extends Reach {
  /** `key:{id}` or `user:{id}`. */
  readonly id: string;
  /** A version that changes when earlier sign-ins are to end. */
  readonly version: number;
  /** The name for people. */
  readonly name: string;
  readonly workspace: NamedWorkspace;
}

/** Finds a subject; undefined when it is gone: the key revoked or expired, the user removed. */
export async function findSubject(db: Queryable, id: string): Promise<Subject | undefined> {
  const [kind, row_id = ''] = id.split(':');
  if (!isUuid(row_id)) return undefined;
  const row =
    kind === 'key' ? await keyRow(db, row_id) : kind === 'user' ? await findUser(db, row_id) : undefined;
  if (row === undefined || row.workspace_id === ALL_WORKSPACES) return undefined;
  const workspace = await findWorkspace(db, row.workspace_id);
  const { password_version: version, name, workspace_id, scopes, subject } = row;
  const { deployment_id, listener_id, expires_at } = row;
  return {
    id,
    version,
    name,
    workspace: { id: workspace_id, name: workspace?.name ?? workspace_id },
    workspace_id,
    scopes,
    subject,
    deployment_id,
    listener_id,
    expires_at,
  };
}

async function keyRow(db: Queryable, id: string) {
  const row = await findKeyById(db, id);
  return row === undefined ? undefined : { ...row, name: `API key ${row.name}`, password_version: 0 };
}
