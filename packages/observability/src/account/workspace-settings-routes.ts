import type { workspaceSettings } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { readHandle, setHandle } from '../workspaces/workspace-settings-store.ts';
import { readWorkspace, type WorkspaceSources } from '../workspaces/workspaces.ts';

export function settingsHandlers({ db, workspaces }: WorkspaceSources): Handlers<typeof workspaceSettings> {
  const answer = async (workspace_id: string) => {
    const { id, name, created_at } = await readWorkspace(workspaces, workspace_id);
    return { id, display_name: name, created_at, tenant_handle: await readHandle(db, workspace_id) };
  };
  return {
    readWorkspaceSettings: async ({ workspace_id }) => answer(workspace_id),
    setWorkspaceHandle: async ({ workspace_id, body }) => {
      if (!(await setHandle(db, { workspace_id, handle: body.tenant_handle })))
        throw new Problem('conflict', 'Another workspace has this handle.');
      return answer(workspace_id);
    },
  };
}
