import { z } from 'zod';
import { Scope } from '../endpoints/access.ts';
import { endpoint } from '../endpoints/endpoint.ts';
import { PageQuery, pageOf } from './page.ts';
import { Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { Actor } from './workspaces.ts';

const KeyName = WellFormedText.min(1).max(200);

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

export const apiKeys = {
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
};
