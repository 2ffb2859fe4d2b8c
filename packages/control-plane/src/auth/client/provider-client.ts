import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  None,
  nopkce,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { Problem } from '@roadstead/kit';
import type { GuardedFetch } from '@roadstead/outbound';
import { type OpenProvider, revocationAddressOf } from './provider-rules.ts';
import { parsed, type PlainAnswer, plainAnswer, scopesIn } from './token-answer-rules.ts';

/** The client’s side of OAuth at one provider. No error that it throws holds a token. */

export interface GrantedToken {
  readonly kind: 'token';
  readonly access_token: string;
  readonly refresh_token: string | undefined;
  readonly expires_in_s: number | undefined;
  /** Undefined where the provider doesn’t name them: the requested ones. */
  readonly scopes: readonly string[] | undefined;
  readonly account_label: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The provider’s answer, if it is not a token. */
export interface Refusal {
  readonly kind: 'refused';
  readonly code: string;
}

export interface ProviderClient {
  /** @throws Problem where the provider is away, or its answer is malformed */
  exchange(
    provider: OpenProvider,
    given: { readonly code: string; readonly redirect_uri: string; readonly verifier: string | undefined },
  ): Promise<GrantedToken | Refusal>;
  /** @throws Problem like `exchange` */
  refresh(provider: OpenProvider, refresh_token: string): Promise<GrantedToken | Refusal>;
  /** The result of the revocation; never throws. */
  revoke(provider: OpenProvider, token: string): Promise<'confirmed' | 'failed' | 'not_offered'>;
}

export function createProviderClient(outbound: GuardedFetch): ProviderClient {
  const send = async (url: string, options: object) => outbound(new Request(url, options));
  return {
    exchange: async (provider, { code, redirect_uri, verifier }) => {
      const [as, client] = sides(provider);
      const returned = validateAuthResponse(
        as,
        client,
        new URLSearchParams({ code, state: 'checked' }),
        'checked',
      );
      return asked(provider, send, async (options) =>
        processAuthorizationCodeResponse(
          as,
          client,
          await authorizationCodeGrantRequest(
            as,
            client,
            authenticationOf(provider),
            returned,
            redirect_uri,
            verifier ?? nopkce,
            options,
          ),
        ),
      );
    },
    refresh: async (provider, refresh_token) => {
      const [as, client] = sides(provider);
      return asked(provider, send, async (options) =>
        processRefreshTokenResponse(
          as,
          client,
          await refreshTokenGrantRequest(as, client, authenticationOf(provider), refresh_token, options),
        ),
      );
    },
    revoke: async (provider, token) => {
      const address = revocationAddressOf(provider);
      if (address === undefined) return 'not_offered';
      try {
        if (provider.provider_type === 'slack') return await revokeAtSlack(address, token, outbound);
        const [as, client] = sides(provider);
        const answer = await revocationRequest(
          { ...as, revocation_endpoint: address },
          client,
          authenticationOf(provider),
          token,
          { [customFetch]: send, [allowInsecureRequests]: true },
        );
        await processRevocationResponse(answer);
        return 'confirmed';
      } catch {
        return 'failed';
      }
    },
  };
}

type Send = (url: string, options: object) => Promise<Response>;
interface RequestOptions {
  readonly additionalParameters: Record<string, string>;
  readonly [customFetch]: Send;
  readonly [allowInsecureRequests]: true;
}

/**
 * Sends a request. Which addresses may be called without TLS is decided when a provider is registered, and by the
 * guarded client.
 */
async function asked(
  provider: OpenProvider,
  send: Send,
  ask: (options: RequestOptions) => Promise<TokenEndpointResponse>,
): Promise<GrantedToken | Refusal> {
  let plain: PlainAnswer | undefined;
  const fetched: Send = async (url, options) => {
    const answer = await send(url, options);
    const text = await answer.text();
    const body = parsed(text) ?? {};
    plain = plainAnswer(provider.provider_type, { status: answer.status, body });
    return Response.json(plain.body, { status: plain.status, headers: challengeOf(answer) });
  };
  const options: RequestOptions = {
    additionalParameters: provider.resource === null ? {} : { resource: provider.resource },
    [customFetch]: fetched,
    [allowInsecureRequests]: true,
  };
  try {
    const token = await ask(options);
    return {
      kind: 'token',
      access_token: token.access_token,
      refresh_token: token.refresh_token,
      expires_in_s: token.expires_in,
      scopes: scopesIn(token.scope),
      account_label: plain?.account_label ?? null,
      metadata: plain?.metadata ?? {},
    };
  } catch (error) {
    return refusalOf(provider, error);
  }
}

function challengeOf({ headers }: Response): Record<string, string> {
  const challenge = headers.get('www-authenticate');
  return challenge === null ? {} : { 'www-authenticate': challenge };
}

/** Translates the library’s errors, none of which is passed on: they hold the answer, and so perhaps a token. */
function refusalOf({ name }: OpenProvider, error: unknown): Refusal {
  if (error instanceof Problem) throw error;
  if (error instanceof WWWAuthenticateChallengeError) return { kind: 'refused', code: 'invalid_client' };
  if (error instanceof ResponseBodyError && error.status < 500)
    return { kind: 'refused', code: /^[a-z_]{1,60}$/.test(error.error) ? error.error : 'unknown_error' };
  throw new Problem('unavailable', `${name} does not answer with a token.`, {
    hint: 'Is its token_url right?',
    retry_after_s: 5,
  });
}

/** Where no issuer is known, one is filled in that identifies the provider within the library only. */
function sides(provider: OpenProvider): [AuthorizationServer, Client] {
  const { issuer, auth_url, token_url, client_id } = provider;
  return [
    {
      issuer: issuer ?? new URL(auth_url).origin,
      authorization_endpoint: auth_url,
      token_endpoint: token_url,
    },
    { client_id },
  ];
}

function authenticationOf({ client_secret, token_endpoint_auth_method }: OpenProvider): ClientAuth {
  if (client_secret === null || token_endpoint_auth_method === 'none') return None();
  return token_endpoint_auth_method === 'client_secret_basic'
    ? ClientSecretBasic(client_secret)
    : ClientSecretPost(client_secret);
}

/** Slack has its own way: the token identifies itself. */
async function revokeAtSlack(address: string, token: string, outbound: GuardedFetch) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await outbound(new Request(address, { method: 'POST', headers, redirect: 'manual' }));
  return parsed(await answer.text())?.['ok'] === true ? 'confirmed' : 'failed';
}
