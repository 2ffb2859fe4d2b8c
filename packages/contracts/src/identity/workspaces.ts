import { z } from 'zod';
import { Access, Scope } from '../endpoints/access.ts';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryFlag, Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

export const Workspace = z
  .object({
    id: Uuid,
    name: WellFormedText,
    created_at: Timestamp,
    /** Whether it is being erased: its keys no longer open anything. */
    deleting: z.boolean(),
  })
  .meta({ id: 'Workspace' });
const WorkspaceName = WellFormedText.min(1).max(200);
/** The actor of the caller, whom the requesting service has verified. */
export const Actor = WellFormedText.regex(/^(key|user|oauth|service):/);
const NewWorkspace = z.object({ id: Uuid.nullish(), name: WorkspaceName });

export const workspaces = {
  readCaller: endpoint({
    method: 'GET',
    path: '/v2/caller',
    summary: 'Who calls: the workspace, the actor with its name, and the scopes of the credential',
    access: Access.options,
    workspace: 'any',
    success: {
      status: 200,
      body: z.object({
        /** Null for a credential that reaches every workspace. */
        workspace: Workspace.nullable(),
        actor: WellFormedText,
        /** The name for people: of the key, or of the user who signed in; null for our own services. */
        name: WellFormedText.nullable(),
        scopes: z.array(Scope),
      }),
    },
  }),
  listWorkspaces: endpoint({
    method: 'GET',
    path: '/v2/workspaces',
    summary: 'The workspaces that the caller reaches',
    access: 'workspaces:read',
    workspace: 'any',
    query: z.object({
      /** Whether to include keys that were created by this one, which may read and delete them. */
      created: queryFlag.optional(),
    }),
    success: { status: 200, body: z.object({ items: z.array(Workspace), next_cursor: z.null() }) },
    example: { query: { created: 'true' } },
  }),
  createWorkspace: endpoint({
    method: 'POST',
    path: '/v2/workspaces',
    summary:
      'Create a workspace and its first API key, which may do there what the caller may do here; its plain text is in this answer only. 409 where as many came of the caller’s workspace as may',
    access: 'workspaces:admin',
    errors: [409],
    body: NewWorkspace,
    success: { status: 201, body: Workspace.extend({ key: WellFormedText }) },
    example: { body: { name: 'support' } },
  }),
  createWorkspaceFor: endpoint({
    method: 'POST',
    path: '/v2/workspaces/of-callers',
    summary: 'Create a workspace as a caller of another of our services does; for observability only',
    auth: 'signed',
    errors: [409],
    body: NewWorkspace.extend({
      actor: Actor,
    }),
    success: { status: 201, body: Workspace.extend({ key: WellFormedText }) },
    example: { body: { name: 'support', actor: 'key:0199d3a0-0000-7000-8000-000000000001' } },
  }),
  patchWorkspace: endpoint({
    method: 'PATCH',
    path: '/v2/workspaces/{workspace_id}',
    summary: 'Rename a workspace',
    access: 'workspaces:admin',
    params: z.object({ workspace_id: Uuid }),
    body: z.object({ name: WorkspaceName }),
    success: { status: 200, body: Workspace },
    example: { body: { name: 'support' } },
  }),
  readWorkspace: endpoint({
    method: 'GET',
    path: '/v2/workspaces/{workspace_id}',
    summary: 'Read a workspace: the caller’s own, or one that was created by it',
    access: 'workspaces:read',
    params: z.object({ workspace_id: Uuid }),
    success: { status: 200, body: Workspace },
  }),
  deleteWorkspace: endpoint({
    method: 'DELETE',
    path: '/v2/workspaces/{workspace_id}',
    summary:
      'Delete a workspace for good, the caller’s own or one that was created by it: its keys are dead at once, all that it has is erased, and then it is 404. 409 while it has deployments or listeners, and without `force` while it has anything else',
    access: 'workspaces:admin',
    errors: [409],
    params: z.object({ workspace_id: Uuid }),
    query: z.object({ force: queryFlag.optional() }),
    success: { status: 202, body: Workspace },
    example: { query: { force: 'true' } },
  }),
};
