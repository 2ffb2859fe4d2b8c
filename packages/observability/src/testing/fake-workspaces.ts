import { ApiError } from '@roadstead/contracts';
import type { Workspaces } from '../workspaces/workspaces.ts';

/** Replaces identity: workspaces in memory, each created when it is first asked for, with one key. */
export function fakeWorkspaces(): (workspace_id: string) => Workspaces {
  const rows = new Map<string, { id: string; name: string; created_at: string; deleting: boolean }>();
  const created_at = '2026-01-05T00:00:00.000Z';
  const find = (id: string) => {
    const row = rows.get(id) ?? { id, name: 'default', created_at, deleting: false };
    rows.set(id, row);
    return row;
  };
  return (workspace_id) => ({
    listWorkspaces: async () => ({ items: [find(workspace_id)], next_cursor: null }),
    createWorkspaceFor: async ({ body }) => {
      const id = body.id ?? crypto.randomUUID();
      if (rows.has(id)) throw new ApiError('A workspace with this id already exists.', { status: 409 });
      return { ...Object.assign(find(id), { name: body.name }), key: `key-${id}` };
    },
    patchWorkspace: async ({ params, body }) => {
      if (params.workspace_id !== workspace_id)
        throw new ApiError('There is no such workspace.', { status: 404 });
      return Object.assign(find(workspace_id), body);
    },
    listApiKeys: async () => ({
      items: [
        {
          id: workspace_id,
          workspace_id,
          name: 'first',
          scopes: ['admin'],
          hint: 'key-',
          deployment_id: null,
          listener_id: null,
          subject: null,
          created_at,
          last_used_at: null,
          expires_at: null,
        },
      ],
      next_cursor: null,
    }),
  });
}
