import type { workspaces } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { countThings } from '../usage/usage-store.ts';
import { memberAnswer, tenantAnswer } from './workspace-rules.ts';
import { readHandle, setHandle } from '../workspaces/workspace-settings-store.ts';
import { askIdentity, listMembers, readWorkspace, type WorkspaceSources } from '../workspaces/workspaces.ts';

type WorkspaceHandlers = Handlers<typeof workspaces>;

/** Identity alone knows the workspaces and keys. */
export function workspaceHandlers({ db, workspaces }: WorkspaceSources): WorkspaceHandlers {
  const tenantOf = async (workspace_id: string) =>
    tenantAnswer(await readWorkspace(workspaces, workspace_id), await readHandle(db, workspace_id));
  const requireOwn = (workspace_id: string, asked: string) => {
    if (asked.toLowerCase() !== workspace_id) throw new Problem('not_found', 'There is no such workspace.');
  };
  const members = async (workspace_id: string) =>
    (await listMembers(workspaces, workspace_id)).map((key) => memberAnswer(key, workspace_id));
  return {
    listWorkspaces: async ({ workspace_id, principal }) => [
      {
        ...(await tenantOf(workspace_id)),
        read_only: principal.scopes.every((scope) => scope === 'reader' || scope.endsWith(':read')),
        role_id: null,
        role_name: null,
        permissions: [...principal.scopes],
      },
    ],
    createWorkspace: async ({ workspace_id, principal: { actor }, body }) => {
      const asked = { id: body.id ?? null, name: body.display_name, actor };
      const made = await askIdentity(() => workspaces(workspace_id).createWorkspaceFor({ body: asked }));
      const { key, ...workspace } = made;
      const handle = body.tenant_handle ?? undefined;
      if (handle !== undefined && !(await setHandle(db, { workspace_id: made.id, handle })))
        throw new Problem('conflict', 'The workspace was created, but another one has this handle.');
      return { ...tenantAnswer(workspace, await readHandle(db, made.id)), api_key: key };
    },
    readWorkspace: async ({ workspace_id, params }) => {
      requireOwn(workspace_id, params.workspace_id);
      return tenantOf(workspace_id);
    },
    patchWorkspace: async ({ workspace_id, params, body }) => {
      requireOwn(workspace_id, params.workspace_id);
      await askIdentity(() =>
        workspaces(workspace_id).patchWorkspace({ params, body: { name: body.display_name } }),
      );
      return tenantOf(workspace_id);
    },
    listWorkspaceMembers: async ({ workspace_id }) => ({
      tenant_id: workspace_id,
      members: await members(workspace_id),
      pending: [],
    }),
    listOrganizationMembers: async ({ workspace_id }) => ({
      organization_id: workspace_id,
      members: await members(workspace_id),
      pending: [],
    }),
    readWorkspaceStats: ({ workspace_id }) => statsOf({ db, workspaces }, workspace_id),
  };
}

async function statsOf({ db, workspaces }: WorkspaceSources, workspace_id: string) {
  const counts = await countThings(db, workspace_id);
  // Each deployment has a key of its own while it exists.
  const deployments = (await listMembers(workspaces, workspace_id)).flatMap((key) => key.deployment_id ?? []);
  return {
    tenant_id: workspace_id,
    dataset_count: counts.datasets,
    tracer_session_count: counts.sessions,
    repo_count: counts.prompts,
    annotation_queue_count: counts.queues,
    deployment_count: new Set(deployments).size,
    // Observability has no dashboards.
    dashboards_count: 0,
    evaluator_count: 0,
  };
}
