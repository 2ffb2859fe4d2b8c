import { planned } from '../endpoint.ts';
import { mounts } from './deployments.ts';

/** Endpoints of the control plane that the specification or its real clients name and that aren't built yet. */
const at = { mounts };
const v1 = { mounts: ['', '/api-host'] };

export const plannedControlPlane = {
  deleteDeployments: planned('DELETE', '/v2/deployments', 'Delete several deployments', at),
  createRevision: planned(
    'POST',
    '/v2/deployments/{deployment_id}/revisions',
    'Create a revision in any case',
    at,
  ),
  restoreDeployment: planned(
    'POST',
    '/v2/deployments/{deployment_id}/restore',
    'Take a deployment out of the bin',
    at,
  ),
  interruptRevision: planned(
    'POST',
    '/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption',
    'Interrupt a build or deploy',
    at,
  ),
  interruptRevisionAlias: planned(
    'POST',
    '/v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt',
    'Interrupt a build or deploy',
    at,
  ),
  createPushToken: planned(
    'POST',
    '/v2/deployments/{deployment_id}/push-token',
    'A token to push an image',
    at,
  ),
  setDeploymentTier: planned(
    'PATCH',
    '/v2/deployments/{deployment_id}/deployment-tier',
    'Change the tier',
    at,
  ),
  setResourceTiers: planned(
    'PATCH',
    '/v2/deployments/{deployment_id}/resource-tiers',
    'Change resource tiers',
    at,
  ),
  queryDeploymentLogs: planned('GET', '/v2/deployment-logs', 'Logs in the cursor-paged form', at),
  createListener: planned('POST', '/v2/listeners', 'Register a remote listener', at),
  patchListener: planned('PATCH', '/v2/listeners/{listener_id}', 'Change a listener', at),
  deleteListener: planned('DELETE', '/v2/listeners/{listener_id}', 'Remove a listener', at),
  listGitInstallations: planned(
    'GET',
    '/v1/integrations/git/install',
    'Git integrations of the workspace',
    v1,
  ),
  listGithubInstallations: planned('GET', '/v1/integrations/github/install', 'Alias of the git form', v1),
  listGitRepositories: planned(
    'GET',
    '/v1/integrations/git/{integration_id}/repos',
    'Repositories of an integration',
    v1,
  ),
  listGithubRepositories: planned(
    'GET',
    '/v1/integrations/github/{integration_id}/repos',
    'Alias of the git form',
    v1,
  ),
  listInstallations: planned(
    'GET',
    '/v2/integrations/github/installations',
    'Git installations, cursor-paged',
    at,
  ),
  listRepositories: planned(
    'GET',
    '/v2/integrations/github/installations/{integration_id}/repositories',
    'Repositories of an installation',
    at,
  ),
  createInstallationLink: planned(
    'POST',
    '/v2/integrations/github/installation-link',
    'A link that installs the git integration',
    at,
  ),
  readBuildLogs: planned(
    'POST',
    '/v1/projects/{project_id}/revisions/{revision_id}/build_logs',
    'Build log, older form',
    v1,
  ),
  readDeployLogs: planned(
    'POST',
    '/v1/projects/{project_id}/revisions/{revision_id}/deploy_logs',
    'Server log of a revision, older form',
    v1,
  ),
  readProjectLogs: planned(
    'POST',
    '/v1/projects/{project_id}/deploy_logs',
    'Server log of a deployment, older form',
    v1,
  ),
  listAuthProviders: planned('GET', '/v2/auth/providers', 'OAuth providers', at),
  createAuthProvider: planned('POST', '/v2/auth/providers', 'Register an OAuth provider', at),
  readAuthProvider: planned('GET', '/v2/auth/providers/{provider_id}', 'Read an OAuth provider', at),
  patchAuthProvider: planned('PATCH', '/v2/auth/providers/{provider_id}', 'Change an OAuth provider', at),
  deleteAuthProvider: planned('DELETE', '/v2/auth/providers/{provider_id}', 'Remove an OAuth provider', at),
  discoverMcpProvider: planned(
    'POST',
    '/v2/auth/providers/mcp-discover',
    'Discover the provider of an MCP server',
    at,
  ),
  authenticate: planned('POST', '/v2/auth/authenticate', 'Get a token or begin a flow', at),
  waitForAuth: planned('GET', '/v2/auth/wait/{auth_id}', 'Wait for a flow to end', at),
  authCallback: planned('GET', '/v2/auth/callback/{provider_id}', 'Where a provider sends the browser back', {
    mounts,
    auth: 'public',
  }),
  finishAuth: planned('POST', '/v2/auth/callback/{provider_id}', 'Finish a flow', at),
  authSetup: planned('GET', '/v2/auth/setup/{provider_id}', 'Setup page of a provider', at),
  listAuthTokens: planned('GET', '/v2/auth/tokens', 'Own tokens', at),
  deleteAuthTokens: planned('DELETE', '/v2/auth/tokens', 'Delete own tokens of a provider', at),
  deleteAuthToken: planned('DELETE', '/v2/auth/tokens/{token_id}', 'Revoke one token', at),
  patchAuthTokenMetadata: planned(
    'PATCH',
    '/v2/auth/tokens/{token_id}/metadata',
    'Change the metadata of a token',
    at,
  ),
  hasAuthToken: planned('GET', '/v2/auth/tokens/exists', 'Whether a token exists', at),
  importAuthToken: planned('POST', '/v2/auth/tokens/import', 'Import a token', at),
  listAgentConnections: planned(
    'GET',
    '/v2/auth/agents/{agent_id}/connections',
    'Connections of an agent',
    at,
  ),
  createAgentConnection: planned(
    'POST',
    '/v2/auth/agents/{agent_id}/connections',
    'Bind a token to an agent',
    at,
  ),
  deleteAgentConnection: planned(
    'DELETE',
    '/v2/auth/agents/{agent_id}/connections/{connection_id}',
    'Unbind a token',
    at,
  ),
};
