import type { AuthorizationServer, Client } from 'oauth4webapi';
import { parsed } from '../client/token-answer-rules.ts';

/** The registration that our client requests, and how it authenticates afterwards. */

type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';
const known: readonly AuthMethod[] = ['none', 'client_secret_post', 'client_secret_basic'];

export function registrationOf(server: AuthorizationServer, redirect_uri: string): Partial<Client> {
  const { token_endpoint_auth_methods_supported: offered = ['client_secret_basic'] } = server;
  return {
    client_name: 'Roadstead',
    redirect_uris: [redirect_uri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: known.find((method) => offered.includes(method)) ?? 'client_secret_basic',
  };
}

/** The method that the server chose; without a secret there is none. */
export function authMethodOf(client: Client, server: AuthorizationServer): AuthMethod {
  if (typeof client.client_secret !== 'string') return 'none';
  const { token_endpoint_auth_method: made = registrationOf(server, '').token_endpoint_auth_method } = client;
  return known.find((method) => method === made) ?? 'client_secret_basic';
}

export const metadataAddress = (origin: string) => `${origin}/.well-known/oauth-authorization-server`;

/** The resource that metadata is about, if the MCP server’s address is at or below it. */
export function resourceNamedIn(metadata: string, mcp_server_url: string): string | undefined {
  const { resource } = parsed(metadata) ?? {};
  const [named, server] = [
    typeof resource === 'string' ? URL.parse(resource) : null,
    new URL(mcp_server_url),
  ];
  if (named?.origin !== server.origin) return undefined;
  const folder = named.pathname.replace(/\/*$/, '/');
  return `${server.pathname}/`.startsWith(folder) ? named.href : undefined;
}
