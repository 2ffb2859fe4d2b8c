import {
  allowInsecureRequests,
  type AuthorizationServer,
  type Client,
  customFetch,
  discoveryRequest,
  dynamicClientRegistrationRequest,
  processDiscoveryResponse,
  processDynamicClientRegistrationResponse,
  processResourceDiscoveryResponse,
  resourceDiscoveryRequest,
  ResponseBodyError,
} from 'oauth4webapi';
import { Problem } from '@roadstead/kit';
import type { WorkspaceActor } from '../../records/keys.ts';
import { type AuthContext, redirectAddressOf } from '../auth-context.ts';
import { checkAddress } from '../client/provider-rules.ts';
import type { ProviderKey } from '../keys.ts';
import { authMethodOf, metadataAddress, registrationOf, resourceNamedIn } from './mcp-discovery-rules.ts';
import { findProvider, type ProviderRow } from './provider-store.ts';
import { nameTaken, storeProvider } from './provider-work.ts';

/**
 * Discovers the OAuth provider of an MCP server: the authorization server that it names (RFC 9728), that server’s
 * capabilities (RFC 8414, OpenID Connect Discovery), and a client of our own there (RFC 7591). Every address in an
 * answer is subject to the rules for addresses that callers send.
 */

interface DiscoveryRequest extends WorkspaceActor, ProviderKey {
  readonly name: string;
  readonly mcp_server_url: string;
}

export async function discoverProvider(context: AuthContext, wanted: DiscoveryRequest): Promise<ProviderRow> {
  const { workspace_id, actor, provider_id, name, mcp_server_url } = wanted;
  checkAddress('mcp_server_url', { address: mcp_server_url, isNamed: context.isNamed });
  // Checked before a client is registered that nobody would know of.
  if ((await findProvider(context.db, { workspace_id, provider_id })) !== undefined)
    throw nameTaken(provider_id);
  const options = optionsOf(context);
  const { resource, issuer } = await findServer(context, { mcp_server_url, options });
  const server = await readServer(context, { issuer, options });
  const client = await register(context, { server, provider_id, options });
  return storeProvider(context, {
    workspace_id,
    actor,
    provider: {
      provider_id,
      name,
      mcp_server_url,
      resource,
      issuer: server.issuer,
      client_id: client.client_id,
      client_secret: typeof client.client_secret === 'string' ? client.client_secret : null,
      auth_url: server.authorization_endpoint ?? '',
      token_url: server.token_endpoint ?? '',
      revocation_url: server.revocation_endpoint ?? null,
      uses_pkce: true,
      code_challenge_method: 'S256',
      provider_type: null,
      token_endpoint_auth_method: authMethodOf(client, server),
      authorization_params: {},
      is_dynamic_client: true,
    },
  });
}

type Options = ReturnType<typeof optionsOf>;

const optionsOf = ({ outbound }: AuthContext) => ({
  [customFetch]: async (url: string, init: object) =>
    outbound(new Request(url, { ...init, redirect: 'manual' })),
  [allowInsecureRequests]: true as const,
});

/**
 * The metadata of the MCP server, at its own path first. An older server, which has none, is its own authorization
 * server.
 */
async function findServer(
  { outbound, isNamed }: AuthContext,
  { mcp_server_url, options }: { readonly mcp_server_url: string; readonly options: Options },
): Promise<{ resource: string | null; issuer: URL }> {
  const url = new URL(mcp_server_url);
  for (const resource of new Set([url.href, url.origin])) {
    const answer = await resourceDiscoveryRequest(new URL(resource), options);
    if (answer.status !== 200) continue;
    const named = await said(url.host, async () => {
      const text = await answer.text();
      const expected = resourceNamedIn(text, mcp_server_url) ?? resource;
      return processResourceDiscoveryResponse(new URL(expected), new Response(text, answer));
    });
    const [issuer] = named.authorization_servers ?? [];
    if (issuer === undefined || URL.parse(issuer) === null) break;
    checkAddress('authorization_servers', { address: issuer, isNamed });
    return { resource: named.resource, issuer: new URL(issuer) };
  }
  const probe = await outbound(new Request(metadataAddress(url.origin), { redirect: 'manual' }));
  if (probe.status === 200) return { resource: null, issuer: new URL(url.origin) };
  throw new Problem('invalid', `${url.host} does not name the OAuth provider that it trusts.`, {
    hint: 'An MCP server names it at /.well-known/oauth-protected-resource (RFC 9728).',
  });
}

async function readServer(
  { isNamed }: AuthContext,
  { issuer, options }: { readonly issuer: URL; readonly options: Options },
): Promise<AuthorizationServer> {
  let found: AuthorizationServer | undefined;
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    const answer = await discoveryRequest(issuer, { ...options, algorithm });
    if (answer.status !== 200) continue;
    found = await said(issuer.host, () => processDiscoveryResponse(issuer, answer));
    break;
  }
  if (found === undefined)
    throw new Problem('invalid', `${issuer.host} does not publish its OAuth metadata (RFC 8414).`);
  for (const field of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint'] as const) {
    const address = found[field];
    if (address === undefined || URL.parse(address) === null)
      throw new Problem('invalid', `The OAuth provider at ${issuer.host} has no ${field}.`, {
        hint: 'Register it by POST /v2/auth/providers with a client of your own.',
      });
    checkAddress(field, { address, isNamed });
  }
  const { revocation_endpoint, code_challenge_methods_supported = ['S256'] } = found;
  if (revocation_endpoint !== undefined)
    checkAddress('revocation_endpoint', { address: revocation_endpoint, isNamed });
  if (!code_challenge_methods_supported.includes('S256'))
    throw new Problem('invalid', `The OAuth provider at ${issuer.host} does not know PKCE with S256.`);
  return found;
}

async function register(
  context: AuthContext,
  at: { readonly server: AuthorizationServer; readonly provider_id: string; readonly options: Options },
): Promise<Client> {
  const { server, provider_id, options } = at;
  const wanted = registrationOf(server, redirectAddressOf(context, provider_id));
  const answer = await dynamicClientRegistrationRequest(server, wanted, options);
  return said(new URL(server.issuer).host, () => processDynamicClientRegistrationResponse(answer));
}

/** The library’s errors hold answers, perhaps with secrets. */
async function said<T>(host: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ResponseBodyError && /^[a-z_]{1,60}$/.test(error.error))
      throw new Problem('invalid', `${host} refuses: ${error.error}.`);
    throw new Problem('invalid', `The answer of ${host} does not follow the OAuth standards.`);
  }
}
