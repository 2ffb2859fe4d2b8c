import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { OAuthProvider } from '@roadstead/contracts/control-plane';
import { OTHER_WORKSPACE } from '../../testing/fixture.ts';
import { type AuthFixture, startAuthFixture } from '../testing/auth-fixture.ts';
import { registrationOf, resourceNamedIn } from './mcp-discovery-rules.ts';

const shared = useFixture(startAuthFixture);

const SECRET = 'canary-of-the-client-secret';

test('when a provider is registered, listed, changed or removed, then its secret is never shown', async () => {
  await using fixture = await startAuthFixture();
  const { provider, call } = fixture;
  const { client_secret: _, ...shown } = provider;
  const at = '/v2/auth/providers/mail';
  const read = await call(at);
  expect(read.json()).toEqual({
    ...shown,
    id: expect.any(String),
    organization_id: '11111111-1111-4111-8111-111111111111',
    code_challenge_method: 'S256',
    provider_type: null,
    mcp_server_url: null,
    token_endpoint_auth_method: 'client_secret_post',
    authorization_params: {},
    is_dynamic_client: false,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const patched = await call(at, {
    method: 'PATCH',
    body: { name: 'Post', client_secret: `${SECRET}-2`, auth_url: null },
  });
  expect(patched.json()).toMatchObject({ name: 'Post', auth_url: provider.auth_url });
  const list = await call('/v2/auth/providers');
  expect(list.json<OAuthProvider[]>().map(({ name }) => name)).toEqual(['Post']);
  const taken = await call('/v2/auth/providers', { body: provider });
  expect(taken.status).toBe(409);
  const removed = await call(at, { method: 'DELETE' });
  expect([removed.status, Object.keys(removed.json())]).toEqual([200, ['message']]);
  expect((await call(at)).status).toBe(404);
  for (const { text } of [read, patched, list, taken, removed]) expect(text).not.toContain('canary');
  expect((await call('/v2/events?page_size=10')).json()).toMatchObject({
    items: [
      { kind: 'oauth_provider.deleted' },
      { kind: 'oauth_provider.changed' },
      { kind: 'oauth_provider.created', detail: { provider_id: 'mail' } },
    ],
  });
});

test.each<[string, object, number, string]>([
  ['a reserved name', { provider_id: 'my-agent-builder' }, 422, 'provider_id'],
  ['another reserved name', { provider_id: 'my-oauth-provider' }, 422, 'provider_id'],
  ['no TLS', { token_url: 'http://example.com/token' }, 400, 'token_url must be an address with https'],
  ['a script', { auth_url: 'javascript:alert(1)' }, 400, 'auth_url'],
  ['no secret', { client_secret: null }, 400, 'client_secret is missing'],
  ['a public client without PKCE', { token_endpoint_auth_method: 'none', uses_pkce: false }, 400, 'PKCE'],
  ['the plain method', { code_challenge_method: 'plain' }, 422, 'code_challenge_method'],
  ['a type that is none', { provider_type: 'gopher' }, 422, 'provider_type'],
])('when a provider is registered with %s, then it is refused', async (_case, change, status, said) => {
  const answer = await shared().call('/v2/auth/providers', {
    body: { ...shared().provider, provider_id: 'other', ...change },
  });
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(said)]);
  expect(answer.text).not.toContain('canary');
});

test.each(['token_url', 'revocation_url'])(
  'when %s moves to another host, then the client secret must be sent again',
  async (field) => {
    await using fixture = await startAuthFixture();
    const patch = (body: object) => fixture.call('/v2/auth/providers/mail', { method: 'PATCH', body });
    const there = { [field]: 'https://elsewhere.example/token' };
    const refused = await patch(there);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('client_secret must be')]);
    expect((await patch({ [field]: `${fixture.server.url}/moved` })).status).toBe(200);
    expect((await patch({ ...there, client_secret: SECRET })).status).toBe(200);
  },
);

test('when workspaces register providers of one name, then each has its own', async () => {
  const key = `rs_admin_${OTHER_WORKSPACE}`;
  expect((await shared().call('/v2/auth/providers', { key })).json()).toEqual([]);
  expect((await shared().call('/v2/auth/providers/mail', { key })).status).toBe(404);
  expect((await shared().call('/v2/auth/providers', { key, body: shared().provider })).status).toBe(200);
});

test('when the platform’s providers are asked for, then it says that it offers none', async () => {
  expect((await shared().call('/v2/auth/platform-providers')).json()).toEqual([]);
  const one = await shared().call('/v2/auth/platform-providers/github');
  expect([one.status, one.text]).toEqual([404, expect.stringContaining('offers no OAuth providers')]);
  const builder = { provider: 'mail', scopes: [], use_agent_builder_public_oauth: true };
  expect((await shared().call('/v2/auth/authenticate', { body: builder })).status).toBe(400);
  const elsewhere = { provider: 'mail', scopes: [], redirect_uri: 'https://evil.example' };
  expect((await shared().call('/v2/auth/authenticate', { body: elsewhere })).status).toBe(400);
});

/** An MCP server that names its protected-resource metadata, as in `metadata`. */
async function mcpServer(fixture: AuthFixture, metadata: (origin: string) => Record<string, object>) {
  const server = createServer((request, response) => {
    const found = metadata(origin)[request.url ?? ''];
    if (found === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  fixture.stack.defer(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return origin;
}

test('when an MCP server is discovered, then tokens are for it, by a client of our own', async () => {
  const redirect_uri = 'http://roadstead.test/v2/auth/callback/tickets';
  await using fixture = await startAuthFixture({ redirect_uris: [redirect_uri] });
  const issuer = fixture.server.url;
  const origin = await mcpServer(fixture, (own) => ({
    '/.well-known/oauth-protected-resource/mcp': { resource: `${own}/mcp`, authorization_servers: [issuer] },
  }));
  const made = await fixture.call('/v2/auth/providers/mcp-discover', {
    body: { provider_id: 'tickets', name: 'Tickets', mcp_server_url: `${origin}/mcp` },
  });
  expect([made.status, made.json()]).toMatchObject([
    200,
    {
      provider_id: 'tickets',
      is_dynamic_client: true,
      mcp_server_url: `${origin}/mcp`,
      uses_pkce: true,
      auth_url: `${issuer}/auth`,
      token_url: `${issuer}/token`,
      token_endpoint_auth_method: 'none',
    },
  ]);
  const asked = await fixture.authenticate({ provider: 'tickets' });
  expect(new URL(asked.url ?? '').searchParams.get('resource')).toBe(`${origin}/mcp`);
  expect((await fixture.consent(asked.url ?? '')).text).toContain('Tickets is connected');
  const { token } = await fixture.authenticate({ provider: 'tickets' });
  expect(await fixture.server.look(token ?? '')).toMatchObject({ account: 'anna', scopes: ['repo'] });
});

test.each<[string, (own: string) => Record<string, object>, string]>([
  ['says nothing', () => ({}), 'does not name the OAuth provider'],
  [
    'speaks for another',
    () => ({
      '/.well-known/oauth-protected-resource': {
        resource: 'https://other.example',
        authorization_servers: ['https://other.example'],
      },
    }),
    'does not follow the OAuth standards',
  ],
  [
    'names a provider without TLS',
    (own) => ({
      '/.well-known/oauth-protected-resource': { resource: own, authorization_servers: ['http://10.0.0.1'] },
    }),
    'must be an address with https',
  ],
  [
    'names one that takes no clients',
    (own) => ({
      '/.well-known/oauth-protected-resource': { resource: own, authorization_servers: [own] },
      '/.well-known/oauth-authorization-server': {
        issuer: own,
        authorization_endpoint: `${own}/a`,
        token_endpoint: `${own}/t`,
      },
    }),
    'has no registration_endpoint',
  ],
])('when an MCP server %s, then it is refused in a sentence', async (_case, metadata, said) => {
  const origin = await mcpServer(shared(), metadata);
  const answer = await shared().call('/v2/auth/providers/mcp-discover', {
    body: { provider_id: 'tickets', name: 'Tickets', mcp_server_url: `${origin}/mcp` },
  });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(said)]);
});

test.each([
  ['https://m.example/mcp', 'https://m.example/mcp', true],
  ['https://m.example', 'https://m.example/mcp', true],
  ['https://m.example/mc', 'https://m.example/mcp', false],
  ['https://m.example/other', 'https://m.example/mcp', false],
  ['https://evil.example/mcp', 'https://m.example/mcp', false],
])('when metadata is about %s, then it counts for %s: %s', (resource, server, counts) => {
  expect(resourceNamedIn(JSON.stringify({ resource }), server) !== undefined).toBe(counts);
});

test('when a client registers, then it chooses the plainest offered way to prove itself', () => {
  const at = (offered?: string[]) =>
    registrationOf(
      { issuer: 'https://i.example', ...(offered && { token_endpoint_auth_methods_supported: offered }) },
      'https://r.example',
    ).token_endpoint_auth_method;
  expect([at(['client_secret_basic', 'none']), at(['client_secret_post']), at()]).toEqual([
    'none',
    'client_secret_post',
    'client_secret_basic',
  ]);
});
