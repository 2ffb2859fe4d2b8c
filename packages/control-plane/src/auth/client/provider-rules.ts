import { Problem } from '@roadstead/kit';

/** Builds authorization requests, and decides which addresses a provider may have. */

export type ProviderType = 'microsoft' | 'salesforce' | 'slack';

/** A provider with its secret in plain text. */
export interface OpenProvider {
  readonly name: string;
  readonly client_id: string;
  readonly client_secret: string | null;
  readonly auth_url: string;
  readonly token_url: string;
  readonly revocation_url: string | null;
  readonly issuer: string | null;
  readonly resource: string | null;
  readonly provider_type: ProviderType | null;
  readonly token_endpoint_auth_method: 'none' | 'client_secret_basic' | 'client_secret_post';
}

/** Whether the operator listed a host, so that it may be private, and called without TLS. */
export type IsNamedHost = (host: string, port: number) => boolean;

/**
 * Requires TLS, except for hosts that the operator listed.
 * @throws Problem that names the field
 */
export function checkAddress(
  field: string,
  { address, isNamed }: { readonly address: string; readonly isNamed: IsNamedHost },
): void {
  const url = new URL(address);
  const port = Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isNamed(host, port)))
    throw new Problem('invalid', `${field} must be an address with https.`, {
      hint: 'http is for hosts that ROADSTEAD_ALLOWED_HOSTS names.',
    });
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new Problem('invalid', `${field} must hold no user name, password or fragment.`);
}

export interface AuthorizationRequest {
  readonly provider: Pick<OpenProvider, 'client_id' | 'auth_url' | 'resource' | 'provider_type'> & {
    readonly authorization_params: Readonly<Record<string, string>>;
  };
  readonly redirect_uri: string;
  readonly state: string;
  readonly challenge: string | undefined;
  readonly scopes: readonly string[];
}

/** Scopes that a provider requires before it issues a refresh token. */
const offline: Readonly<Record<string, string>> = {
  microsoft: 'offline_access',
  salesforce: 'refresh_token',
};

/**
 * The address at which the user consents. The flow’s own parameters take precedence over those that the provider’s
 * owner adds.
 */
export function authorizationUrl({ provider, ...flow }: AuthorizationRequest): string {
  const { client_id, auth_url, provider_type, resource, authorization_params } = provider;
  const url = new URL(auth_url);
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '') url.searchParams.set(name, value);
  };
  for (const [name, value] of Object.entries(authorization_params)) set(name, value);
  const scopes = [...new Set([...flow.scopes, ...added(provider_type)])];
  // For these Slack issues a token of the user; `scope` would request one of the app.
  if (provider_type === 'slack') set('user_scope', scopes.join(','));
  else set('scope', scopes.join(' '));
  set('response_type', 'code');
  set('client_id', client_id);
  set('redirect_uri', flow.redirect_uri);
  set('state', flow.state);
  set('code_challenge', flow.challenge);
  set('code_challenge_method', flow.challenge === undefined ? undefined : 'S256');
  set('resource', resource ?? undefined);
  return url.href;
}

function added(type: OpenProvider['provider_type']): readonly string[] {
  const scope = type === null ? undefined : offline[type];
  return scope === undefined ? [] : [scope];
}

/**
 * Whether an answer may come from this provider (RFC 9207). Where no issuer is known, the host of the consent page
 * stands in for it; every provider also has a redirect address of its own.
 */
export function isIssuer(provider: Pick<OpenProvider, 'issuer' | 'auth_url'>, iss: string): boolean {
  if (provider.issuer !== null) return iss === provider.issuer;
  return URL.parse(iss)?.origin === new URL(provider.auth_url).origin;
}

/** The revocation address of RFC 7009; two providers have it at an address that follows from that of their tokens. */
export function revocationAddressOf(
  provider: Pick<OpenProvider, 'revocation_url' | 'provider_type' | 'token_url'>,
): string | undefined {
  const { revocation_url, provider_type, token_url } = provider;
  if (revocation_url !== null) return revocation_url;
  if (provider_type === 'salesforce') return new URL('/services/oauth2/revoke', token_url).href;
  if (provider_type === 'slack') return new URL('/api/auth.revoke', token_url).href;
  return undefined;
}
