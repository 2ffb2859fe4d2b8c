import { ALL_WORKSPACES } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import { type Database, type Handlers, Problem, uuidv7 } from '@roadstead/kit';
import { listWorkspaces, renameWorkspace } from './workspace-store.ts';
import { createWorkspace } from './workspace-work.ts';

export function workspaceHandlers(
  db: Database,
): Pick<Handlers<IdentityContract>, 'readCaller' | 'listWorkspaces' | 'createWorkspace' | 'patchWorkspace'> {
  return {
    readCaller: async ({ workspace_id, principal: { actor, scopes } }) => {
      const [workspace = null] =
        workspace_id === ALL_WORKSPACES ? [] : await listWorkspaces(db, workspace_id);
      return { workspace, actor, scopes };
    },
    listWorkspaces: async ({ workspace_id }) => ({
      items: await listWorkspaces(db, workspace_id),
      next_cursor: null,
    }),
    createWorkspace: async ({ body: { id, name } }) => createWorkspace(db, { id: id ?? uuidv7(), name }),
    patchWorkspace: async ({ workspace_id: id, params, body }) => {
      const renamed = params.workspace_id === id ? await renameWorkspace(db, { id, ...body }) : undefined;
      if (renamed === undefined) throw new Problem('not_found', 'There is no such workspace.');
      return renamed;
    },
  };
}
