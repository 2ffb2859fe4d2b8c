import * as oauth from 'oauth4webapi';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createBrowser,
  decide,
  type IdentityServer,
  startIdentityServer,
  WORKSPACE,
} from './testing/oauth-fixture.ts';
import type { Consent } from './oauth-ports.ts';

/** Real requests of a client library against the authorization server; the sign-in pages stand aside. */

const REDIRECT = 'http://127.0.0.1:61234/callback';
const insecure = { [oauth.allowInsecureRequests]: true };

let server: IdentityServer;
let as: oauth.AuthorizationServer;
beforeEach(async () => {
  server = await startIdentityServer();
  const issuer = new URL(server.url);
  as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  );
});
afterEach(() => server[Symbol.asyncDispose]());

async function register(metadata: Partial<oauth.OmitSymbolProperties<oauth.Client>> = {}) {
  return oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      as,
      { client_name: 'Editor', redirect_uris: [REDIRECT], ...metadata },
      insecure,
    ),
  );
}

interface Asked {
  readonly scope?: string;
  readonly resource?: string | null;
  readonly scopes?: Consent['scopes'];
}

/** From the first redirect to the tokens. */
async function signIn(
  client: oauth.Client,
  { scope, resource = `${server.url}/mcp`, scopes = ['traces:read'] }: Asked = {},
) {
  const verifier = oauth.generateRandomCodeVerifier();
  const browser = createBrowser(server.url);
  const address = new URL(as.authorization_endpoint ?? '');
  const query = {
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: REDIRECT,
    state: 'a state',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(scope === undefined ? {} : { scope }),
    ...(resource === null ? {} : { resource }),
  };
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  const { at } = await browser.visit(address.href);
  const end = await decide(server, {
    browser,
    at,
    outcome: { subject: server.subject, scopes },
  });
  const parameters = oauth.validateAuthResponse(as, client, new URL(end.at), 'a state');
  const ask = () =>
    oauth.authorizationCodeGrantRequest(as, client, oauth.None(), parameters, REDIRECT, verifier, insecure);
  return {
    ask,
    read: async (answer: Response) => oauth.processAuthorizationCodeResponse(as, client, answer),
  };
}

test('a client that nobody knew gets tokens for what was consented to, and they are an API key’s equal', async () => {
  const client = await register();
  expect(client).toMatchObject({ token_endpoint_auth_method: 'none', client_name: 'Editor' });
  expect(client['client_secret']).toBeUndefined();
  const { ask, read } = await signIn(client, { scope: 'traces:read keys:admin nonsense' });
  const tokens = await read(await ask());
  expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'traces:read', expires_in: 3600 });
  expect(tokens.refresh_token).toBeDefined();
  const { assertion, refused } = await server.service.edge.inward(
    new Headers({ authorization: `Bearer ${tokens.access_token}` }),
    'observability',
  );
  expect(refused).toBeUndefined();
  const [, claims = ''] = assertion?.split('.') ?? [];
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    workspace_id: WORKSPACE,
    actor: expect.stringMatching(/^oauth:/),
    scopes: ['traces:read'],
  });
});
