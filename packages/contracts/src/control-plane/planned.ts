import { planned } from '../endpoint.ts';
import { mounts } from './deployments.ts';

/** Endpoints of the control plane that the specification or its real clients name and that aren't built yet. */
const admin = { mounts, access: 'deployments:admin' } as const;
const write = { mounts, access: 'deployments:write' } as const;
const read = { mounts, access: 'deployments:read' } as const;
const open = { mounts, auth: 'public' } as const;

export const plannedControlPlane = {
  deleteDeployments: planned('DELETE /v2/deployments', { ...admin, summary: 'Delete several deployments' }),
  createRevision: planned('POST /v2/deployments/{deployment_id}/revisions', {
    ...write,
    summary: 'Create a revision even when nothing has changed',
  }),
  restoreDeployment: planned('POST /v2/deployments/{deployment_id}/restore', {
    ...admin,
    summary: 'Take a deployment out of the bin',
  }),
  interruptRevision: planned('POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interruption', {
    ...write,
    summary: 'Interrupt the build or start of a revision',
  }),
  interruptRevisionAlias: planned('POST /v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt', {
    ...write,
    summary: 'Interrupt the build or start of a revision',
  }),
  createPushToken: planned('POST /v2/deployments/{deployment_id}/push-token', {
    ...write,
    summary: 'Create a token that may push an image',
  }),
  setDeploymentTier: planned('PATCH /v2/deployments/{deployment_id}/deployment-tier', {
    ...write,
    summary: 'Change the tier of a deployment',
  }),
  setResourceTiers: planned('PATCH /v2/deployments/{deployment_id}/resource-tiers', {
    ...write,
    summary: 'Change the resource tiers of a deployment',
  }),
  queryDeploymentLogs: planned('GET /v2/deployment-logs', {
    ...read,
    summary: 'Read logs of a deployment, in the cursor-paged form',
  }),
  createListener: planned('POST /v2/listeners', { ...admin, summary: 'Register a remote listener' }),
  patchListener: planned('PATCH /v2/listeners/{listener_id}', { ...admin, summary: 'Change a listener' }),
  deleteListener: planned('DELETE /v2/listeners/{listener_id}', { ...admin, summary: 'Remove a listener' }),
  listGitInstallations: planned('GET /v1/integrations/git/install', {
    ...read,
    summary: 'List the git integrations of the workspace',
  }),
  listGithubInstallations: planned('GET /v1/integrations/github/install', {
    ...read,
    summary: 'List the git integrations of the workspace, by the older address',
  }),
  listGitRepositories: planned('GET /v1/integrations/git/{integration_id}/repos', {
    ...read,
    summary: 'List the repositories of a git integration',
  }),
  listGithubRepositories: planned('GET /v1/integrations/github/{integration_id}/repos', {
    ...read,
    summary: 'List the repositories of a git integration, by the older address',
  }),
  listInstallations: planned('GET /v2/integrations/github/installations', {
    ...read,
    summary: 'List the git installations, in the cursor-paged form',
  }),
  listRepositories: planned('GET /v2/integrations/github/installations/{integration_id}/repositories', {
    ...read,
    summary: 'List the repositories of a git installation',
  }),
  createInstallationLink: planned('POST /v2/integrations/github/installation-link', {
    ...admin,
    summary: 'Create a link that installs the git integration',
  }),
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
