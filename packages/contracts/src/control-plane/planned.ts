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
    'Create a revision even when nothing has changed',
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
    'Interrupt the build or start of a revision',
    at,
  ),
  interruptRevisionAlias: planned(
    'POST',
    '/v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt',
    'Interrupt the build or start of a revision',
    at,
  ),
  createPushToken: planned(
    'POST',
    '/v2/deployments/{deployment_id}/push-token',
    'Create a token that may push an image',
    at,
  ),
  setDeploymentTier: planned(
    'PATCH',
    '/v2/deployments/{deployment_id}/deployment-tier',
    'Change the tier of a deployment',
    at,
  ),
  setResourceTiers: planned(
    'PATCH',
    '/v2/deployments/{deployment_id}/resource-tiers',
    'Change the resource tiers of a deployment',
    at,
  ),
  queryDeploymentLogs: planned(
    'GET',
    '/v2/deployment-logs',
    'Read logs of a deployment, in the cursor-paged form',
    at,
  ),
  createListener: planned('POST', '/v2/listeners', 'Register a remote listener', at),
  patchListener: planned('PATCH', '/v2/listeners/{listener_id}', 'Change a listener', at),
  deleteListener: planned('DELETE', '/v2/listeners/{listener_id}', 'Remove a listener', at),
  listGitInstallations: planned(
    'GET',
    '/v1/integrations/git/install',
    'List the git integrations of the workspace',
    v1,
  ),
  listGithubInstallations: planned(
    'GET',
    '/v1/integrations/github/install',
    'List the git integrations of the workspace, by the older address',
    v1,
  ),
  listGitRepositories: planned(
    'GET',
    '/v1/integrations/git/{integration_id}/repos',
    'List the repositories of a git integration',
    v1,
  ),
  listGithubRepositories: planned(
    'GET',
    '/v1/integrations/github/{integration_id}/repos',
    'List the repositories of a git integration, by the older address',
    v1,
  ),
  listInstallations: planned(
    'GET',
    '/v2/integrations/github/installations',
    'List the git installations, in the cursor-paged form',
    at,
  ),
  listRepositories: planned(
    'GET',
    '/v2/integrations/github/installations/{integration_id}/repositories',
    'List the repositories of a git installation',
    at,
  ),
  createInstallationLink: planned(
    'POST',
    '/v2/integrations/github/installation-link',
    'Create a link that installs the git integration',
    at,
  ),
  readBuildLogs: planned(
    'POST',
    '/v1/projects/{project_id}/revisions/{revision_id}/build_logs',
    'Read the build log of a revision, in the older form',
    v1,
  ),
  readDeployLogs: planned(
    'POST',
    '/v1/projects/{project_id}/revisions/{revision_id}/deploy_logs',
    'Read the server log of a revision, in the older form',
    v1,
  ),
  readProjectLogs: planned(
    'POST',
    '/v1/projects/{project_id}/deploy_logs',
    'Read the server log of a deployment, in the older form',
    v1,
  ),
  listAuthProviders: planned('GET', '/v2/auth/providers', 'List OAuth providers', at),
  createAuthProvider: planned('POST', '/v2/auth/providers', 'Register an OAuth provider', at),
  readAuthProvider: planned('GET', '/v2/auth/providers/{provider_id}', 'Read an OAuth provider', at),
  patchAuthProvider: planned('PATCH', '/v2/auth/providers/{provider_id}', 'Change an OAuth provider', at),
  deleteAuthProvider: planned('DELETE', '/v2/auth/providers/{provider_id}', 'Remove an OAuth provider', at),
  discoverMcpProvider: planned(
    'POST',
    '/v2/auth/providers/mcp-discover',
    'Discover the OAuth provider of an MCP server',
    at,
  ),
  authenticate: planned('POST', '/v2/auth/authenticate', 'Get a token, or begin the flow that gives one', at),
  waitForAuth: planned('GET', '/v2/auth/wait/{auth_id}', 'Wait until a flow has ended', at),
  authCallback: planned(
    'GET',
    '/v2/auth/callback/{provider_id}',
    'Receive the browser that a provider sends back',
    {
      mounts,
      auth: 'public',
    },
  ),
  finishAuth: planned('POST', '/v2/auth/callback/{provider_id}', 'Finish a flow', at),
  authSetup: planned('GET', '/v2/auth/setup/{provider_id}', 'Show the setup page of a provider', at),
  listAuthTokens: planned('GET', '/v2/auth/tokens', 'List the caller’s own tokens', at),
  deleteAuthTokens: planned('DELETE', '/v2/auth/tokens', 'Delete the caller’s own tokens of a provider', at),
  deleteAuthToken: planned('DELETE', '/v2/auth/tokens/{token_id}', 'Revoke a token', at),
  patchAuthTokenMetadata: planned(
    'PATCH',
    '/v2/auth/tokens/{token_id}/metadata',
    'Change the metadata of a token',
    at,
  ),
  hasAuthToken: planned('GET', '/v2/auth/tokens/exists', 'Tell whether the caller has a token', at),
  importAuthToken: planned('POST', '/v2/auth/tokens/import', 'Import a token', at),
  listAgentConnections: planned(
    'GET',
    '/v2/auth/agents/{agent_id}/connections',
    'List the tokens that an agent may use',
    at,
  ),
  createAgentConnection: planned(
    'POST',
    '/v2/auth/agents/{agent_id}/connections',
    'Let an agent use a token',
    at,
  ),
  deleteAgentConnection: planned(
    'DELETE',
    '/v2/auth/agents/{agent_id}/connections/{connection_id}',
    'No longer let an agent use a token',
    at,
  ),
};
