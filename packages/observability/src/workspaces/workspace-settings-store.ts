import { isUniqueViolation, type Queryable } from '@roadstead/postgres';
import type { InWorkspace } from '../values/keys.ts';

/** The default handle of a workspace, made from its id. */
export const HANDLE = (workspace_id: string) =>
  `coalesce((select w.handle from traces.workspace_settings w where w.workspace_id = ${workspace_id}),
    'workspace-' || ${workspace_id}::text)`;

/** The handle under which others find what the workspace makes public. */
export async function readHandle(db: Queryable, workspace_id: string): Promise<string> {
  const { handle } = await db.one<{ handle: string }>(`select ${HANDLE('$1::uuid')} as handle`, [
    workspace_id,
  ]);
  return handle;
}

/** Sets a handle. @returns whether it was free: each handle belongs to one workspace. */
export async function setHandle(
  db: Queryable,
  { workspace_id, handle }: InWorkspace & { readonly handle: string },
): Promise<boolean> {
  try {
    await db.run(
      `insert into traces.workspace_settings (workspace_id, handle) values ($1, $2)
       on conflict (workspace_id) do update set handle = excluded.handle`,
      [workspace_id, handle],
    );
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
