import { planned } from '../endpoint.ts';
import { mounts } from './deployments.ts';

/** Endpoints of the auth service that aren’t built yet. */
const admin = { mounts, access: 'deployments:admin' } as const;
const write = { mounts, access: 'deployments:write' } as const;
const read = { mounts, access: 'deployments:read' } as const;
const open = { mounts, auth: 'public' } as const;

export const plannedAuth = {
  listAuthProviders: planned('GET /v2/auth/providers', { ...read, summary: 'List OAuth providers' }),
  createAuthProvider: planned('POST /v2/auth/providers', { ...admin, summary: 'Register an OAuth provider' }),
  readAuthProvider: planned('GET /v2/auth/providers/{provider_id}', {
    ...read,
    summary: 'Read an OAuth provider',
  }),
  patchAuthProvider: planned('PATCH /v2/auth/providers/{provider_id}', {
    ...admin,
    summary: 'Change an OAuth provider',
  }),
  deleteAuthProvider: planned('DELETE /v2/auth/providers/{provider_id}', {
    ...admin,
    summary: 'Remove an OAuth provider',
  }),
  discoverMcpProvider: planned('POST /v2/auth/providers/mcp-discover', {
    ...admin,
    summary: 'Discover the OAuth provider of an MCP server',
  }),
  authenticate: planned('POST /v2/auth/authenticate', {
    ...write,
    summary: 'Get a token, or begin the flow that gives one',
  }),
  waitForAuth: planned('GET /v2/auth/wait/{auth_id}', { ...write, summary: 'Wait until a flow has ended' }),
  authCallback: planned('GET /v2/auth/callback/{provider_id}', {
    ...open,
    summary: 'Receive the browser that a provider sends back',
  }),
  finishAuth: planned('POST /v2/auth/callback/{provider_id}', { ...write, summary: 'Finish a flow' }),
  authSetup: planned('GET /v2/auth/setup/{provider_id}', {
    ...read,
    summary: 'Show the setup page of a provider',
  }),
  listAuthTokens: planned('GET /v2/auth/tokens', { ...write, summary: 'List the caller’s own tokens' }),
  deleteAuthTokens: planned('DELETE /v2/auth/tokens', {
    ...write,
    summary: 'Delete the caller’s own tokens of a provider',
  }),
  deleteAuthToken: planned('DELETE /v2/auth/tokens/{token_id}', { ...write, summary: 'Revoke a token' }),
  patchAuthTokenMetadata: planned('PATCH /v2/auth/tokens/{token_id}/metadata', {
    ...write,
    summary: 'Change the metadata of a token',
  }),
  hasAuthToken: planned('GET /v2/auth/tokens/exists', {
    ...write,
    summary: 'Tell whether the caller has a token',
  }),
  importAuthToken: planned('POST /v2/auth/tokens/import', { ...write, summary: 'Import a token' }),
  listAgentConnections: planned('GET /v2/auth/agents/{agent_id}/connections', {
    ...read,
    summary: 'List the tokens that an agent may use',
  }),
  createAgentConnection: planned('POST /v2/auth/agents/{agent_id}/connections', {
    ...write,
    summary: 'Let an agent use a token',
  }),
  deleteAgentConnection: planned('DELETE /v2/auth/agents/{agent_id}/connections/{connection_id}', {
    ...write,
    summary: 'No longer let an agent use a token',
  }),
};
