import { z } from 'zod';
import { Access, Audience, Scope } from '../endpoints/access.ts';
import { endpoint } from '../endpoints/endpoint.ts';
import { signInPages } from './sign-in.ts';
import { userEndpoints } from './users.ts';
import { PageQuery, pageOf } from './page.ts';
import { queryFlag, Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { grants } from './grants.ts';
import { discovery, oauth } from './oauth.ts';

export * from './grants.ts';
export * from './oauth.ts';

export { type User } from './users.ts';

export const Workspace = z
  .object({
    id: Uuid,
    name: WellFormedText,
    created_at: Timestamp,
    /** Whether it is being erased: its keys no longer open anything. */
    deleting: z.boolean(),
  })
  .meta({ id: 'Workspace' });

const KeyName = WellFormedText.min(1).max(200);
const WorkspaceName = WellFormedText.min(1).max(200);
/** The actor of the caller, whom the requesting service has verified. */
const Actor = WellFormedText.regex(/^(key|oauth|service):/);
const NewWorkspace = z.object({ id: Uuid.nullish(), name: WorkspaceName });

export const ApiKey = z
  .object({
    id: Uuid,
    workspace_id: WellFormedText,
    name: WellFormedText,
    scopes: z.array(Scope),
    /** The first characters, by which keys can be distinguished. */
    hint: WellFormedText,
    deployment_id: Uuid.nullable(),
    listener_id: Uuid.nullable(),
    /** The subject on whose behalf it acts. */
    subject: WellFormedText.nullable(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof ApiKey>;

export const identity = {
  readCaller: endpoint({
    method: 'GET',
    path: '/v2/caller',
    summary: 'Who calls: the workspace, the actor and the scopes of the credential',
    access: Access.options,
    workspace: 'any',
    success: {
      status: 200,
      body: z.object({
        /** Null for a credential that reaches every workspace. */
        workspace: Workspace.nullable(),
        actor: WellFormedText,
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
  readApiKey: endpoint({
    method: 'GET',
    path: '/v2/api-keys/{key_id}',
    summary: 'Read an API key, without its secret',
    access: 'keys:admin',
    params: z.object({ key_id: Uuid }),
    success: { status: 200, body: ApiKey },
  }),
  patchApiKey: endpoint({
    method: 'PATCH',
    path: '/v2/api-keys/{key_id}',
    summary: 'Rename an API key',
    access: 'keys:admin',
    params: z.object({ key_id: Uuid }),
    body: z.object({ name: KeyName }),
    success: { status: 200, body: ApiKey },
    example: { body: { name: 'ci' } },
  }),
  createListenerKey: endpoint({
    method: 'POST',
    path: '/v2/api-keys/of-listeners',
    summary: 'Create the key of a listener, which ends its earlier ones; for the control plane only',
    auth: 'signed',
    body: z.object({ name: KeyName, listener_id: Uuid, actor: Actor }),
    success: { status: 201, body: ApiKey.extend({ key: WellFormedText }) },
    example: {
      body: {
        name: 'listener berlin',
        listener_id: '0199d3a0-0000-7000-8000-0000000000a1',
        actor: 'key:0199d3a0-0000-7000-8000-000000000001',
      },
    },
  }),
  deleteListenerKeys: endpoint({
    method: 'DELETE',
    path: '/v2/api-keys/of-listeners/{listener_id}',
    summary: 'Revoke every key of a listener; for the control plane only',
    auth: 'signed',
    params: z.object({ listener_id: Uuid }),
    success: { status: 204 },
  }),
  listApiKeys: endpoint({
    method: 'GET',
    path: '/v2/api-keys',
    summary: 'List the API keys of the workspace, without their secret',
    access: 'keys:admin',
    query: PageQuery.extend({ deployment_id: Uuid.optional() }),
    success: {
      status: 200,
      body: pageOf(ApiKey),
    },
    example: { query: { page_size: '50' } },
  }),
  createApiKey: endpoint({
    method: 'POST',
    path: '/v2/api-keys',
    summary: 'Create an API key; its plain text is in this answer only',
    access: 'keys:admin',
    body: z.object({
      name: KeyName,
      scopes: z.array(Scope.exclude(['listener'])).min(1),
      /** The time from which on it opens nothing. */
      expires_at: z.iso.datetime({ offset: true }).nullish(),
      /** The subject on whose behalf it acts: tokens of the auth service belong to a subject. */
      subject: WellFormedText.min(1).max(200).nullish(),
    }),
    success: { status: 201, body: ApiKey.extend({ key: WellFormedText }) },
    example: { body: { name: 'ci', scopes: ['deployments:read', 'deployments:write'] } },
  }),
  createDeploymentKey: endpoint({
    method: 'POST',
    path: '/v2/api-keys/of-deployments',
    summary: 'Create the key that a deployment traces with; for the control plane only',
    auth: 'signed',
    body: z.object({
      name: KeyName,
      scopes: z.array(Scope.extract(['traces:write', 'prompts:read', 'connections:use'])).min(1),
      deployment_id: Uuid,
    }),
    success: { status: 201, body: ApiKey.extend({ key: WellFormedText }) },
    example: {
      body: {
        name: 'deployment support-agent',
        scopes: ['traces:write', 'prompts:read'],
        deployment_id: '0199d3a0-0000-7000-8000-000000000002',
      },
    },
  }),
  deleteApiKey: endpoint({
    method: 'DELETE',
    path: '/v2/api-keys/{key_id}',
    summary: 'Revoke an API key; dead within 30 s everywhere',
    access: 'keys:admin',
    params: z.object({ key_id: Uuid }),
    success: { status: 204 },
  }),
  ...userEndpoints,
  verifyCredential: endpoint({
    method: 'POST',
    path: '/v2/api-keys/verify',
    summary: 'Verify a caller’s credential for an edge elsewhere, and sign what goes inward',
    access: 'listener',
    workspace: 'any',
    body: z.object({
      credential: WellFormedText.max(4096),
      workspace_id: WellFormedText.max(100).nullish(),
      audience: Audience,
    }),
    success: { status: 200, body: z.object({ assertion: WellFormedText, expires_at: Timestamp }) },
    example: { body: { credential: 'rs_example', audience: 'agent-server' } },
  }),
  createServiceAssertion: endpoint({
    method: 'POST',
    path: '/v2/service-assertions',
    summary:
      'Sign that one of our services calls another, for one workspace; only with the service’s own key',
    auth: 'signed',
    workspace: 'any',
    body: z.object({ audience: Audience, workspace_id: Uuid }),
    success: { status: 200, body: z.object({ assertion: WellFormedText, expires_at: Timestamp }) },
    example: {
      body: { audience: 'observability', workspace_id: '0199d3a0-0000-7000-8000-000000000003' },
    },
  }),
  readSigningKeys: endpoint({
    method: 'GET',
    path: '/.well-known/roadstead-keys.json',
    summary: 'Public keys that sign assertions (JWK set, RFC 7517)',
    auth: 'public',
    success: { status: 200, body: z.object({ keys: z.array(z.record(WellFormedText, z.unknown())) }) },
  }),
  ...grants,
  ...discovery,
  ...oauth,
  ...signInPages,
};
export type IdentityContract = typeof identity;
