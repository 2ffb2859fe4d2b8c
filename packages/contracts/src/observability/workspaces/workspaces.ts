import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { queryFlag, queryInt, Uuid } from '../../values/query-values.ts';
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

const SecretName = WellFormedText.regex(
  /^[A-Za-z_]\w{0,199}$/,
  'must be the name of an environment variable',
);
const SecretValue = WellFormedText.max(65_536);

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
  listWorkspaceSecrets: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces/current/secrets',
    summary: 'List the names of the workspace’s secrets',
    access: 'workspaces:read',
    success: { status: 200, body: z.array(z.object({ key: z.string() })) },
  }),
  setWorkspaceSecrets: endpoint({
    ...v1,
    method: 'POST',
    path: '/workspaces/current/secrets',
    summary: 'Set secrets of the workspace, which no answer shows again; null removes one',
    access: 'workspaces:admin',
    body: z.array(z.object({ key: SecretName, value: SecretValue.nullable() })).max(100),
    success: { status: 200, body: z.object({ message: z.string() }) },
    example: { body: [{ key: 'OPENAI_API_KEY', value: 'sk-example' }] },
  }),
  putWorkspaceSecret: endpoint({
    ...v1,
    method: 'PUT',
    path: '/workspaces/current/secrets/{key}',
    summary: 'Set a secret of the workspace, which no answer shows again; without a value it stays as it is',
    access: 'workspaces:admin',
    errors: [404, 501],
    params: z.object({ key: SecretName }),
    body: z.object({
      value: SecretValue.nullish(),
      /** The hosts that may receive it: none can be named, since it is sent to none. */
      configs: z.array(z.unknown()).nullish(),
    }),
    success: { status: 200, body: z.object({ key: z.string() }) },
    example: { body: { value: 'sk-example' } },
  }),
  deleteWorkspaceSecret: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/workspaces/current/secrets/{key}',
    summary: 'Remove a secret of the workspace; one that is not there is no error',
    access: 'workspaces:admin',
    params: z.object({ key: SecretName }),
    success: { status: 204 },
  }),
  listSharedLinks: endpoint({
    ...v1,
    method: 'GET',
    path: '/workspaces/current/shared',
    summary: 'List what the workspace shares by link, newest first',
    access: 'traces:read',
    query: z.object({
      limit: queryInt({ min: 1, max: 100, fallback: 50 }),
      offset: queryInt({ fallback: 0 }),
    }),
    success: {
      status: 200,
      body: z.object({
        entities: z.array(
          z.object({
            type: z.enum(['run', 'dataset', 'thread']),
            share_token: z.string(),
            created_at: z.string(),
            run_id: z.string().optional(),
            run_name: text.optional(),
            run_type: text.optional(),
            session_id: text.optional(),
            session_name: text.optional(),
            dataset_id: z.string().optional(),
            dataset_name: text.optional(),
            thread_id: z.string().optional(),
          }),
        ),
      }),
    },
    example: { query: { limit: '50' } },
  }),
  deleteSharedLinks: endpoint({
    ...v1,
    method: 'DELETE',
    path: '/workspaces/current/shared',
    summary: 'Stop sharing several things of the workspace, or all of them',
    access: 'traces:admin',
    body: z.object({
      share_tokens: z.array(Uuid).max(1000).nullish(),
      unshare_all: z.boolean().default(false),
    }),
    success: { status: 200, body: z.object({ message: z.string(), removed: z.number() }) },
    example: { body: { share_tokens: ['0199d3a0-0000-4000-8000-000000000009'] } },
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
