import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v1 } from '../mounts.ts';
import { WorkspaceHandle } from './workspace-settings.ts';

/** Workspaces in LangSmith's sense (“tenants”); each is an organisation of its own here. */

const text = z.string().nullable();
const DisplayName = WellFormedText.min(1).max(200);

const tenant = {
  id: z.string(),
  organization_id: z.string(),
  created_at: z.string(),
  display_name: z.string(),
  is_personal: z.boolean(),
  is_deleted: z.boolean(),
  tenant_handle: text,
  data_plane_url: text,
};
const Tenant = z.object(tenant).meta({ id: 'Tenant' });
const TenantForUser = z
  .object({
    ...tenant,
    read_only: z.boolean(),
    role_id: text,
    role_name: text,
    permissions: z.array(z.string()),
  })
  .meta({ id: 'TenantForUser' });

/** An API key represents its holder: there are no other users. */
const Member = z
  .object({
    id: z.string(),
    organization_id: z.string(),
    tenant_id: z.string(),
    created_at: z.string(),
    user_id: z.string(),
    ls_user_id: z.string(),
    read_only: z.boolean(),
    role_id: text,
    role_name: text,
    access_scope: z.literal('workspace'),
    email: text,
    full_name: text,
    avatar_url: text,
    linked_login_methods: z.array(z.unknown()),
    display_name: text,
    is_disabled: z.boolean(),
    org_role_id: text,
    org_role_name: text,
  })
  .meta({ id: 'Member' });

const Members = z.object({ tenant_id: z.string(), members: z.array(Member), pending: z.array(z.never()) });
const workspaceParams = z.object({ workspace_id: Uuid });

export const workspaces = {
  listWorkspaces: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces',
    summary: 'The workspaces that the caller reaches, as LangSmith lists tenants',
    access: 'workspaces:read',
    query: z.object({ include_deleted: queryFlag.optional() }),
    success: { status: 200, body: z.array(TenantForUser) },
    example: { query: { include_deleted: 'false' } },
  }),
  createWorkspace: endpoint({
    ...v1,
    method: 'POST',
    path: '/workspaces',
    summary: 'Create a workspace; `api_key` is the key to it, whose plain text is in this answer only',
    access: 'workspaces:admin',
    errors: [409],
    body: z.object({
      id: Uuid.nullish(),
      display_name: DisplayName,
      tenant_handle: WorkspaceHandle.nullish(),
    }),
    success: { status: 200, body: Tenant.extend({ api_key: z.string() }) },
    example: { body: { display_name: 'support' } },
  }),
  readWorkspace: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces/{workspace_id}',
    summary: 'Read a workspace that the caller reaches',
    access: 'workspaces:read',
    params: workspaceParams,
    success: { status: 200, body: Tenant },
  }),
  patchWorkspace: endpoint({
    ...v1,
    method: 'PATCH',
    path: '/workspaces/{workspace_id}',
    summary: 'Rename a workspace',
    access: 'workspaces:admin',
    params: workspaceParams,
    body: z.object({ display_name: DisplayName }),
    success: { status: 200, body: Tenant },
    example: { body: { display_name: 'support' } },
  }),
  listWorkspaceMembers: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces/current/members',
    summary: 'The API keys of the workspace, as LangSmith lists members',
    access: 'keys:admin',
    success: { status: 200, body: Members },
  }),
  listOrganizationMembers: endpoint({
    ...v1,
    method: 'GET',
    path: '/orgs/current/members',
    summary: 'The API keys of the workspace, as LangSmith lists members of its organisation',
    access: 'keys:admin',
    success: { status: 200, body: Members.omit({ tenant_id: true }).extend({ organization_id: z.string() }) },
  }),
  readWorkspaceStats: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces/current/stats',
    summary: 'Count what the workspace holds',
    access: 'workspaces:read',
    success: {
      status: 200,
      body: z.object({
        tenant_id: z.string(),
        dataset_count: z.number(),
        tracer_session_count: z.number(),
        repo_count: z.number(),
        annotation_queue_count: z.number(),
        deployment_count: z.number(),
        dashboards_count: z.number(),
        evaluator_count: z.number(),
      }),
    },
  }),
};
