import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { Timestamp } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { mounts } from './deployments.ts';

/** OAuth providers at which agents act for users. */

/** Names that the platform keeps for itself. */
const RESERVED_ENDINGS = ['-agent-builder', '-oauth-provider'] as const;

export const ProviderId = WellFormedText.regex(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  'must be 1 to 100 letters, digits, dots, hyphens or underscores, and begin with a letter or a digit',
);
const NewProviderId = ProviderId.refine(
  (id) => !RESERVED_ENDINGS.some((ending) => id.toLowerCase().endsWith(ending)),
  `must not end in ${RESERVED_ENDINGS.join(' or ')}, which are reserved`,
);

export const ProviderType = z.enum(['microsoft', 'salesforce', 'slack']);
export const TokenEndpointAuthMethod = z.enum(['none', 'client_secret_basic', 'client_secret_post']);

const Name = WellFormedText.min(1).max(200);
const ClientId = WellFormedText.min(1).max(2000);
const ClientSecret = WellFormedText.min(1).max(10_000);
const Address = WellFormedText.max(2000).pipe(z.url());
/** The plain method reveals what the challenge should hide. */
const ChallengeMethod = z.literal('S256');
const AuthorizationParams = z.record(WellFormedText.max(100), WellFormedText.max(2000));

export const OAuthProvider = z
  .object({
    id: WellFormedText,
    /** The workspace that it belongs to. */
    organization_id: WellFormedText,
    provider_id: WellFormedText,
    name: WellFormedText,
    client_id: WellFormedText,
    auth_url: WellFormedText,
    token_url: WellFormedText,
    revocation_url: WellFormedText.nullable(),
    uses_pkce: z.boolean(),
    code_challenge_method: WellFormedText.nullable(),
    provider_type: ProviderType.nullable(),
    mcp_server_url: WellFormedText.nullable(),
    token_endpoint_auth_method: TokenEndpointAuthMethod,
    authorization_params: AuthorizationParams,
    is_dynamic_client: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'OAuthProvider' });
export type OAuthProvider = z.output<typeof OAuthProvider>;

export const OAuthProviderCreateRequest = z
  .object({
    provider_id: NewProviderId,
    name: Name,
    client_id: ClientId,
    client_secret: ClientSecret.nullish(),
    auth_url: Address,
    token_url: Address,
    /** The address at which tokens are revoked (RFC 7009) before they are deleted here. */
    revocation_url: Address.nullish(),
    uses_pkce: z.boolean().default(false),
    code_challenge_method: ChallengeMethod.nullish(),
    provider_type: ProviderType.nullish(),
    token_endpoint_auth_method: TokenEndpointAuthMethod.default('client_secret_post'),
    /** Parameters that are added to `auth_url`, such as `access_type=offline` for Google. */
    authorization_params: AuthorizationParams.default({}),
  })
  .meta({ id: 'OAuthProviderCreateRequest' });
export type OAuthProviderCreateRequest = z.output<typeof OAuthProviderCreateRequest>;

/** Null and absent both mean unchanged. */
export const OAuthProviderUpdateRequest = z
  .object({
    name: Name.nullish(),
    client_id: ClientId.nullish(),
    client_secret: ClientSecret.nullish(),
    auth_url: Address.nullish(),
    token_url: Address.nullish(),
    revocation_url: Address.nullish(),
    uses_pkce: z.boolean().nullish(),
    code_challenge_method: ChallengeMethod.nullish(),
    authorization_params: AuthorizationParams.nullish(),
  })
  .meta({ id: 'OAuthProviderUpdateRequest' });
export type OAuthProviderUpdateRequest = z.output<typeof OAuthProviderUpdateRequest>;

const params = z.object({ provider_id: ProviderId });
const read = { mounts, access: 'connections:read' } as const;
const admin = { mounts, access: 'connections:admin' } as const;
const one = { status: 200, body: OAuthProvider } as const;
const list = { status: 200, body: z.array(OAuthProvider) } as const;

export const authProviders = {
  listAuthProviders: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/auth/providers',
    summary: 'List the OAuth providers of the workspace',
    success: list,
  }),
  createAuthProvider: endpoint({
    ...admin,
    method: 'POST',
    path: '/v2/auth/providers',
    summary: 'Register an OAuth provider; its client secret is kept sealed and never shown',
    errors: [400, 409],
    body: OAuthProviderCreateRequest,
    success: one,
    example: {
      body: {
        provider_id: 'github',
        name: 'GitHub',
        client_id: 'Iv1.8a61f9b3a7aba766',
        client_secret: 'the secret of the client',
        auth_url: 'https://github.com/login/oauth/authorize',
        token_url: 'https://github.com/login/oauth/access_token',
        uses_pkce: true,
      },
    },
  }),
  discoverMcpProvider: endpoint({
    ...admin,
    method: 'POST',
    path: '/v2/auth/providers/mcp-discover',
    summary: 'Discover the OAuth provider of an MCP server, and register a client there',
    errors: [400, 409],
    body: z.object({ provider_id: NewProviderId, name: Name, mcp_server_url: Address }),
    success: one,
    example: {
      body: { provider_id: 'tickets', name: 'Tickets', mcp_server_url: 'https://mcp.example.com/mcp' },
    },
  }),
  readAuthProvider: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/auth/providers/{provider_id}',
    summary: 'Read an OAuth provider',
    params,
    success: one,
  }),
  patchAuthProvider: endpoint({
    ...admin,
    method: 'PATCH',
    path: '/v2/auth/providers/{provider_id}',
    summary: 'Change an OAuth provider; absent or null fields stay',
    errors: [400],
    params,
    body: OAuthProviderUpdateRequest,
    success: one,
    example: { body: { name: 'GitHub, the company’s' } },
  }),
  deleteAuthProvider: endpoint({
    ...admin,
    method: 'DELETE',
    path: '/v2/auth/providers/{provider_id}',
    summary: 'Remove an OAuth provider with all tokens that it gave',
    params,
    success: { status: 200, body: z.object({ message: WellFormedText }) },
  }),
  listPlatformProviders: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/auth/platform-providers',
    summary:
      'List the OAuth providers that the platform offers to all workspaces: none, each registers its own',
    success: list,
  }),
  readPlatformProvider: endpoint({
    ...read,
    method: 'GET',
    path: '/v2/auth/platform-providers/{provider}',
    summary: 'Read an OAuth provider of the platform: there is none',
    params: z.object({ provider: ProviderId }),
    success: one,
  }),
};
