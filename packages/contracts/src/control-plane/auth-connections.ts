import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { AgentId } from './auth-flows.ts';
import { ProviderId } from './auth-providers.ts';
import { AccountLabel, ImportedToken } from './auth-tokens.ts';
import { mounts } from './deployments.ts';

/** The connections: which agent may use which token. */

export const Connection = z
  .object({
    id: Uuid,
    agent_id: WellFormedText,
    /** Set where only the agent of this deployment may use the token. */
    deployment_id: Uuid.nullable(),
    oauth_token_id: Uuid,
    provider_id: WellFormedText,
    provider_account_label: WellFormedText.nullable(),
    scopes: z.array(WellFormedText),
    expires_at: Timestamp.nullable(),
    created_by: WellFormedText,
    created_at: Timestamp,
  })
  .meta({ id: 'AgentConnection' });
export type Connection = z.output<typeof Connection>;

const params = z.object({ agent_id: AgentId });
const read = { mounts, access: 'connections:read' } as const;
const write = { mounts, access: 'connections:write' } as const;

export const authConnections = {
  listAgentConnections: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/auth/agents/{agent_id}/connections',
    summary: 'List the tokens that an agent may use, as far as the caller may see them',
    params,
    success: { status: 200, body: z.object({ data: z.array(Connection) }) },
  }),
  createAgentConnection: endpoint({
    ...write,
    method: 'POST',
    path: '/v2/auth/agents/{agent_id}/connections',
    summary: 'Let an agent use a token',
    params,
    errors: [404],
    body: z.object({
      oauth_token_id: Uuid,
      /** A deployment in this workspace, whose own key may then use the token. */
      deployment_id: Uuid.nullish(),
    }),
    success: { status: 201, body: Connection },
    example: { body: { oauth_token_id: '0199d3a0-0000-7000-8000-0000000000a7' } },
  }),
  deleteAgentConnection: endpoint({
    ...write,
    method: 'DELETE',
    path: '/v2/auth/agents/{agent_id}/connections/{connection_id}',
    summary: 'No longer let an agent use a token',
    params: params.extend({ connection_id: Uuid }),
    success: { status: 204 },
  }),
  putAgentToken: endpoint({
    ...write,
    method: 'POST',
    path: '/v2/auth/agents/{agent_id}/providers/{provider_id}/tokens',
    summary: 'Give an agent a token of its own, in place of the one that it has at this provider',
    params: params.extend({ provider_id: ProviderId }),
    errors: [403, 404],
    body: ImportedToken.extend({
      provider_account_label: AccountLabel.nullish(),
      deployment_id: Uuid.nullish(),
    }),
    success: { status: 201, body: Connection },
    example: { body: { access_token: 'the token', scopes: ['chat:write'] } },
  }),
};
