import { listMembers, type WorkspacesOf } from './workspaces.ts';
import type { InWorkspace } from '../values/keys.ts';

/**
 * The names of the people who gave feedback in one workspace, or review there. Users are keys, whose names identity
 * has.
 */
export async function readUserNames(
  workspaces: WorkspacesOf,
  rows: readonly (InWorkspace & { readonly user_id: string | null })[],
): Promise<Map<string, string>> {
  const wanted = new Set(rows.flatMap((row) => row.user_id ?? []));
  const [first] = rows;
  if (first === undefined || wanted.size === 0) return new Map();
  const members = await listMembers(workspaces, first.workspace_id);
  return new Map(members.filter(({ id }) => wanted.has(id)).map(({ id, name }) => [id, name]));
}
