import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  type Client,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  type JsonObject,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processUserInfoResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Role } from '@roadstead/contracts';
import { Problem, problemOf } from '@roadstead/kit';

/** The company's OpenID provider, as its client. No error that it throws holds a token. */

export interface CompanyOptions {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string | undefined;
  /** The name on the button. */
  readonly name: string;
  readonly scopes: string;
  readonly groups_claim: string;
  readonly roles: ReadonlyMap<string, Role>;
  readonly default_role: Role | undefined;
  readonly outbound: (request: Request) => Promise<Response>;
}

/** What the provider says of somebody. */
export type CompanyClaims = JsonObject & { readonly sub: string };

interface BegunSignIn {
  readonly address: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface CompanyClient {
  /** @throws Problem `unavailable` where the provider is away */
  begin(): Promise<BegunSignIn>;
  /**
   * Who came back.
   * @throws Problem `unavailable` where the provider is away, `forbidden` where somebody did not sign in there, or
   * `unauthenticated` where its answer proves nothing
   */
  end(
    returned: URLSearchParams,
    expected: { readonly state: string; readonly nonce: string; readonly verifier: string },
  ): Promise<CompanyClaims>;
}

interface DiscoveredServer {
  readonly at: number;
  readonly server: AuthorizationServer;
}

/** How long what the provider publishes of itself is taken as it was read. */
const DISCOVERED_MS = 600_000;

export function createCompanyClient(
  company: CompanyOptions,
  { redirect_uri, now }: { readonly redirect_uri: string; readonly now: () => number },
): CompanyClient {
  const client: Client = { client_id: company.client_id };
  const issuer = new URL(company.issuer);
  const options = {
    [customFetch]: async (url: string, init: object) => company.outbound(new Request(url, init)),
    // Which addresses may be called without TLS is decided when the issuer is set.
    [allowInsecureRequests]: issuer.protocol === 'http:',
  };
  const discover = discovering(issuer, { options, now });
  return {
    begin: () =>
      translated(company, 'unavailable', async () => {
        const { authorization_endpoint } = await discover();
        if (authorization_endpoint === undefined) throw new Error('It names no authorization_endpoint.');
        const [state, nonce, verifier] = [
          generateRandomState(),
          generateRandomNonce(),
          generateRandomCodeVerifier(),
        ];
        const query = {
          client_id: company.client_id,
          response_type: 'code',
          redirect_uri,
          scope: company.scopes,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        };
        return { address: addressAt(authorization_endpoint, query), state, nonce, verifier };
      }),
    end: async (returned, { state, nonce, verifier }) => {
      const server = await translated(company, 'unavailable', discover);
      return translated(company, 'unauthenticated', async () => {
        const parameters = validateAuthResponse(server, client, returned, state);
        const answer = await authorizationCodeGrantRequest(
          server,
          client,
          authenticationOf(company, server),
          parameters,
          redirect_uri,
          verifier,
          options,
        );
        const tokens = await processAuthorizationCodeResponse(server, client, answer, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        await validateApplicationLevelSignature(server, answer, options);
        const claims = getValidatedIdTokenClaims(tokens);
        if (claims === undefined) throw new Error('There is no ID token.');
        if (company.groups_claim in claims || server.userinfo_endpoint === undefined) return claims;
        const more = await processUserInfoResponse(
          server,
          client,
          claims.sub,
          await userInfoRequest(server, client, tokens.access_token, options),
        );
        return { ...more, ...claims };
      });
    },
  };
}

interface Discovery {
  readonly options: Parameters<typeof discoveryRequest>[1];
  readonly now: () => number;
}

/** Reads what the provider publishes of itself, now and then. */
function discovering(issuer: URL, { options, now }: Discovery): () => Promise<AuthorizationServer> {
  let read: DiscoveredServer | undefined;
  return async () => {
    if (read === undefined || now() - read.at > DISCOVERED_MS) {
      const answer = await discoveryRequest(issuer, options);
      read = { at: now(), server: await processDiscoveryResponse(issuer, answer) };
    }
    return read.server;
  };
}

function addressAt(endpoint: string, query: Readonly<Record<string, string>>): string {
  const address = new URL(endpoint);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.href;
}

function authenticationOf({ client_secret }: CompanyOptions, server: AuthorizationServer) {
  if (client_secret === undefined) return None();
  const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return taken.includes('client_secret_basic')
    ? ClientSecretBasic(client_secret)
    : ClientSecretPost(client_secret);
}

/** Translates the library's errors, none of which is passed on: they hold the answer, and so perhaps a token. */
async function translated<T>(
  { name, issuer }: CompanyOptions,
  kind: 'unavailable' | 'unauthenticated',
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const problem = problemOf(error);
    if (problem?.kind === 'unavailable' || kind === 'unavailable')
      throw new Problem('unavailable', `${name} can't be asked who you are just now.`, {
        hint: `Try again in a moment. If it stays so, the operator looks at whether Roadstead reaches ${issuer}, and at ROADSTEAD_ALLOWED_HOSTS.`,
        retry_after_s: 5,
      });
    if (error instanceof AuthorizationResponseError)
      throw new Problem('forbidden', `${name} did not sign you in.`, {
        hint: 'Go back, and try again or sign in in another way.',
      });
    throw new Problem('unauthenticated', `What ${name} answered does not prove who you are.`, {
      hint: 'Go back and sign in again; it may have taken too long.',
    });
  }
}
