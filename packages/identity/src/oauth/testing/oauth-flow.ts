import * as oauth from 'oauth4webapi';
import type { Consent } from '../../pages/oauth-ports.ts';
import { createBrowser, decide, type IdentityServer } from './oauth-fixture.ts';

/** The steps of a client, by a client library. */

export const REDIRECT = 'http://127.0.0.1:61234/callback';
const insecure = { [oauth.allowInsecureRequests]: true };

export interface FlowOptions {
  readonly scope?: string;
  /** The MCP server by default; null for no resource. */
  readonly resource?: string | null;
  readonly redirect_uri?: string;
  readonly more?: Readonly<Record<string, string>>;
  /** The answer of the person who is asked. */
  readonly outcome?: Consent | 'denied';
}

export async function openClient(server: IdentityServer) {
  const issuer = new URL(server.url);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  );
  const register = async (metadata: object = {}): Promise<oauth.Client> =>
    oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        as,
        { client_name: 'Editor', redirect_uris: [REDIRECT], ...metadata },
        insecure,
      ),
    );
  /** The address of the authorization, and the client's own notes for the rest of the flow. */
  const begin = async (
    client: oauth.Client,
    { scope, resource, redirect_uri = REDIRECT, more }: FlowOptions = {},
  ) => {
    const verifier = oauth.generateRandomCodeVerifier();
    const address = new URL(as.authorization_endpoint ?? '');
    const query = {
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri,
      state: 'a state',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(scope === undefined ? {} : { scope }),
      ...(resource === null ? {} : { resource: resource ?? `${server.url}/mcp` }),
      ...more,
    };
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    return { address: address.href, verifier, redirect_uri };
  };
  /** Runs the flow up to the code. */
  const authorize = async (client: oauth.Client, asked: FlowOptions = {}) => {
    const { address, verifier, redirect_uri } = await begin(client, asked);
    const browser = createBrowser(server.url);
    const { at } = await browser.visit(address);
    const outcome = asked.outcome ?? { subject: server.subject, scopes: ['traces:read'] };
    const end = await decide(server, { browser, at, outcome });
    const parameters = oauth.validateAuthResponse(as, client, new URL(end.at), 'a state');
    const exchange = async () =>
      oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.None(),
        parameters,
        redirect_uri,
        verifier,
        insecure,
      );
    return { code: parameters.get('code') ?? '', exchange };
  };
  /** Runs the flow up to the tokens. */
  const signIn = async (client: oauth.Client, asked: FlowOptions = {}) => {
    const { exchange, code } = await authorize(client, asked);
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, await exchange());
    return { ...tokens, refresh_token: tokens.refresh_token ?? '', code, exchange };
  };
  const refresh = async (client: oauth.Client, token: string, more: Record<string, string> = {}) =>
    oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, {
      ...insecure,
      additionalParameters: more,
    });
  const read = async (client: oauth.Client, answer: Response) => {
    const tokens = await oauth.processRefreshTokenResponse(as, client, answer);
    return { ...tokens, refresh_token: tokens.refresh_token ?? '' };
  };
  return { as, register, begin, authorize, signIn, refresh, read };
}

/** The edge's answer to a credential: its holder, or the reason for the refusal. */
export async function callerOf({ service }: IdentityServer, headers: Record<string, string>) {
  const { assertion, refused } = await service.edge.inward(new Headers(headers), 'observability');
  if (assertion === undefined) return { refused: refused?.kind, code: refused?.code };
  const [, claims = ''] = assertion.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
}
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
