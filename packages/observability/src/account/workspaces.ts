import type { Client } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import { Problem } from '@roadstead/kit';

/** What is asked of identity, which alone knows workspaces and keys. */
export type Workspaces = Pick<
  Client<IdentityContract>,
  'listWorkspaces' | 'createWorkspace' | 'patchWorkspace' | 'listApiKeys'
>;

/** Identity, asked in a workspace. */
export type WorkspacesOf = (workspace_id: string) => Workspaces;

/** @throws Problem where identity does not answer. */
export async function readWorkspace(workspaces: WorkspacesOf, workspace_id: string) {
  const { items } = await workspaces(workspace_id)
    .listWorkspaces({})
    .catch((cause: unknown) => {
      throw new Problem('unavailable', 'Workspaces can’t be read right now; try again.', {
        cause,
        retry_after_s: 1,
      });
    });
  const [found] = items;
  if (found === undefined) throw new Problem('not_found', 'There is no such workspace.');
  return found;
}
