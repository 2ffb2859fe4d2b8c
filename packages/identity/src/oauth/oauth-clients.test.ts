import { useFixturePerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { startIdentityServer } from './testing/oauth-fixture.ts';
import { openClient, REDIRECT } from './testing/oauth-flow.ts';

/** The clients that may ask to be authorized: registered ones, and those whose id is an address. */

let documents: (request: Request) => Promise<Response>;
beforeEach(() => {
  documents = async () => new Response(null, { status: 404 });
});
const server = useFixturePerTest(() => startIdentityServer({ outbound: (request) => documents(request) }));

const register = (body: object | string, headers: Record<string, string> = {}) =>
  fetch(`${server().url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('when a client asks for a secret or sends unknown members, then it registers without them', async () => {
  const answer = await register({
    redirect_uris: [REDIRECT],
    client_name: 'Editor\u202e\n',
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['authorization_code', 'implicit'],
    response_types: ['code', 'token'],
    scope: 'everything',
    contacts: 'nobody',
    logo_uri: 'javascript:alert(1)',
    jwks_uri: 'http://127.0.0.1/',
    unheard_of: { of: 1 },
  });
  expect(answer.status).toBe(201);
  const client = (await answer.json()) as object;
  expect(client).toMatchObject({
    client_name: 'Editor',
    token_endpoint_auth_method: 'none',
    redirect_uris: [REDIRECT],
    client_id: expect.any(String),
    client_id_issued_at: expect.any(Number),
    response_types: ['code'],
  });
  for (const name of ['client_secret', 'logo_uri', 'jwks_uri', 'unheard_of', 'scope'])
    expect(client).not.toHaveProperty(name);
});

test.each<[string, boolean]>([
  ['http://localhost/callback', true],
  ['http://127.0.0.1:0/callback', true],
  ['http://[::1]:8080/', true],
  ['https://claude.ai/api/mcp/auth_callback', true],
  ['cursor://anysphere.cursor-mcp/oauth/callback', true],
  ['com.example.app:/callback', true],
  ['http://example.com/callback', false],
  ['http://192.168.0.1/callback', false],
  ['http://localhost.example.com/', false],
  ['https://localhost/callback', false],
  ['https://example.com/callback#fragment', false],
  ['https://user:password@example.com/', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['/callback', false],
  ['', false],
])('when a client registers the redirect address %s, then it is taken: %s', async (uri, is_taken) => {
  const answer = await register({ redirect_uris: [uri] });
  const said = (await answer.json()) as { error?: string };
  expect([answer.status, said.error]).toEqual(is_taken ? [201, undefined] : [400, 'invalid_redirect_uri']);
});

test.each<[string, object | string, number, string]>([
  ['no address', { redirect_uris: [] }, 400, 'invalid_redirect_uri'],
  ['no object', '[]', 400, 'invalid_client_metadata'],
  ['no JSON', '{', 422, 'invalid_request'],
  ['more than 8 kB', { redirect_uris: [REDIRECT], client_name: 'x'.repeat(8192) }, 413, 'invalid_request'],
])('when a client registers with %s, then it is refused', async (_name, body, status, error) => {
  const answer = await register(body);
  expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining({ error })]);
});

test('when an address registers more than 30 times, then it is told when to come again', async () => {
  const answers = [];
  for (let n = 0; n < 31; n += 1)
    // The client's own claim about its address is not believed.
    answers.push(await register({ redirect_uris: [REDIRECT] }, { 'x-forwarded-for': `192.0.2.${n}` }));
  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 30 }, () => 201), 429]);
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('when an id is one that no client can have, then it is refused as any other', async () => {
  const token = await fetch(`${server().url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', client_id: '\0', refresh_token: 'x' }),
  });
  expect([token.status, await token.json()]).toEqual([
    401,
    expect.objectContaining({ error: 'invalid_client' }),
  ]);
});

test('when an address begins more than 300 authorizations in a while, then it is refused', async () => {
  const statuses = [];
  for (let n = 0; n < 301; n += 1)
    statuses.push((await fetch(`${server().url}/oauth/authorize?client_id=nobody`)).status);
  expect(statuses).toEqual([...Array.from({ length: 300 }, () => 400), 429]);
});

test('when a redirect address is on this machine, then any port will do', async () => {
  const client = await openClient(server());
  const editor = await client.register({ redirect_uris: ['http://localhost/callback'] });
  const tokens = await client.signIn(editor, { redirect_uri: 'http://localhost:52314/callback' });
  expect(tokens.access_token).toBeDefined();
});

const CLIENT_ID = 'https://editor.test/oauth/client.json';
const described = (more: object = {}) => ({
  client_id: CLIENT_ID,
  client_name: 'Editor',
  redirect_uris: ['http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
  ...more,
});

test('when a client’s id is an address, then the client is described there, which is read once', async () => {
  let reads = 0;
  documents = async (request) => {
    reads += 1;
    expect([request.url, request.redirect]).toEqual([CLIENT_ID, 'manual']);
    return Response.json(described({ grant_types: ['authorization_code', 'of:another:kind'] }));
  };
  const client = await openClient(server());
  expect(client.as.client_id_metadata_document_supported).toBe(true);
  const tokens = await client.signIn({ client_id: CLIENT_ID }, { redirect_uri: REDIRECT });
  const answer = await client.refresh({ client_id: CLIENT_ID }, tokens.refresh_token);
  expect([answer.status, reads]).toEqual([200, 1]);
});

test.each<[string, () => Response | Promise<Response>]>([
  ['nobody answers', () => Promise.reject(new Error('away'))],
  ['it is not there', () => new Response(null, { status: 404 })],
  ['it leads elsewhere', () => Response.redirect('https://elsewhere.test/', 302)],
  ['it is no JSON', () => new Response('<html>')],
  ['it is of another client', () => Response.json(described({ client_id: 'https://other.test/' }))],
  ['it is too large', () => Response.json(described({ filler: 'x'.repeat(20_000) }))],
  [
    'its redirect address is foreign to this machine',
    () => Response.json(described({ redirect_uris: ['http://other.test/'] })),
  ],
])('when a client’s id can’t be used because %s, then there is no such client', async (_name, answer) => {
  documents = async () => answer();
  const client = await openClient(server());
  const { address } = await client.begin({ client_id: CLIENT_ID });
  const shown = await fetch(address, { redirect: 'manual', headers: { accept: 'text/html' } });
  expect([shown.status, shown.headers.get('location')]).toEqual([400, null]);
});

test('when the address of a client’s id does not answer, then the page says so and what helps', async () => {
  documents = () => Promise.reject(new Error('away'));
  const { address } = await (await openClient(server())).begin({ client_id: CLIENT_ID });
  const shown = await (await fetch(address, { headers: { accept: 'text/html' } })).text();
  expect(shown).toContain(new URL(CLIENT_ID).host);
  expect(shown).toContain('ROADSTEAD_CLIENT_DOCUMENTS');
});

test('when no documents are read, then clients are told to register', async () => {
  await using closed = await startIdentityServer({ outbound: undefined });
  const client = await openClient(closed);
  expect(client.as.client_id_metadata_document_supported).toBeUndefined();
  expect(client.as.registration_endpoint).toBe(`${closed.url}/oauth/register`);
});
