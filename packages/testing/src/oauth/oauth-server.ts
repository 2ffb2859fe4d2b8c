import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A real OAuth server, at which everybody consents to everything: for whoever is a client. */

export interface OAuthServerOptions {
  /** Where its clients take browsers back. */
  readonly redirect_uris: readonly string[];
  /** The lifetime of access tokens, in seconds. */
  readonly ttl_s?: number;
  readonly requires_pkce?: boolean;
}

export interface OAuthServer extends AsyncDisposable {
  readonly url: string;
  readonly client: { readonly client_id: string; readonly client_secret: string };
  /** What was asked at the token address, in order; the kinds of grants, and what became of them. */
  readonly grants: { readonly kind: string; readonly ok: boolean }[];
  /** Who signs in there from now on. */
  account: string;
  /** What a user decides there from now on. */
  denies: boolean;
  /** What the server does before it answers for tokens. */
  before: (() => Promise<void>) | undefined;
  /** Whether an access token opens anything, and for whom. */
  look(access_token: string): Promise<{ account: string; scopes: string[] } | undefined>;
  /** Whether it takes no refresh token, and whether it answers with nothing of use. */
  refuses: boolean;
  away: boolean;
}

export async function startOAuthServer(options: OAuthServerOptions): Promise<OAuthServer> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { client_id: 'roadstead', client_secret: 'canary-of-the-client-secret' };
  const provider = createProvider(url, { ...options, client });
  const handle = provider.callback();
  const state: OAuthServer = {
    url,
    client,
    grants: [],
    account: 'anna',
    denies: false,
    before: undefined,
    look: async (access_token) => {
      const found = await provider.AccessToken.find(access_token);
      return found === undefined
        ? undefined
        : { account: found.accountId, scopes: [...(found.scopes ?? [])] };
    },
    refuses: false,
    away: false,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  provider.on('grant.success', (ctx) => note(ctx, true));
  provider.on('grant.error', (ctx) => note(ctx, false));
  const note = (ctx: { oidc: { params?: Record<string, unknown> | undefined } }, ok: boolean) =>
    void state.grants.push({ kind: textOf(ctx.oidc.params?.['grant_type']), ok });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const answered = async () => {
      if (request.url?.startsWith('/interaction/') === true)
        return decide(provider, { request, response, state });
      if (request.url === '/token') await state.before?.();
      if (request.url === '/token' && state.away) return void response.writeHead(503).end();
      if (request.url === '/token' && state.refuses) return refuse(response);
      return handle(request, response);
    };
    void answered().catch(() => response.writeHead(500).end());
  });
  return state;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function refuse(response: ServerResponse): void {
  response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
}

function createProvider(
  url: string,
  {
    redirect_uris,
    ttl_s = 3600,
    requires_pkce = true,
    client,
  }: OAuthServerOptions & Pick<OAuthServer, 'client'>,
): Provider {
  return new Provider(url, {
    clients: [
      {
        ...client,
        redirect_uris: [...redirect_uris],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    scopes: ['openid', 'repo', 'mail', 'admin'],
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      introspection: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        getResourceServerInfo: async () => ({ scope: 'repo mail', accessTokenFormat: 'opaque' }),
      },
    },
    pkce: { required: () => requires_pkce },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    ttl: { AccessToken: ttl_s, RefreshToken: 86_400, Grant: 86_400, Session: 86_400, Interaction: 600 },
    findAccount: async (_ctx, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@example.com` }),
    }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['a key of the tests'] },
  });
}

async function decide(
  provider: Provider,
  at: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly state: OAuthServer },
): Promise<void> {
  const { request, response, state } = at;
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (state.denies) return provider.interactionFinished(request, response, { error: 'access_denied' });
  if (prompt.name === 'login')
    return provider.interactionFinished(request, response, { login: { accountId: state.account } });
  const grant = new provider.Grant({
    accountId: session?.accountId ?? state.account,
    clientId: textOf(params['client_id']),
  });
  const scope = textOf(params['scope']);
  grant.addOIDCScope(scope);
  if (typeof params['resource'] === 'string') grant.addResourceScope(params['resource'], scope);
  const grantId = await grant.save();
  return provider.interactionFinished(request, response, { consent: { grantId } });
}

/** What a browser does that is sent to `address`, up to where it is sent back; a new one, signed in nowhere. */
export async function visit(address: string, returns_to: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(address);
  for (let hops = 0; hops < 12; hops += 1) {
    if (url.href.startsWith(returns_to)) return url;
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null)
      throw new Error(`${url.href} leads nowhere: ${answer.status} ${await answer.text()}`);
    url = new URL(location, url);
  }
  throw new Error(`${address} never leads back.`);
}
