import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { createClient } from '@roadstead/contracts';
import { identity as contract } from '@roadstead/contracts/identity';
import { createBrowser, decide, KEY, startIdentityServer, WORKSPACE } from './testing/oauth-fixture.ts';
import { bearer, callerOf, openClient } from './testing/oauth-flow.ts';

/** A client library against the authorization server, without the pages on which people decide. */

const server = useFixturePerTest(startIdentityServer);
const client = useFixturePerTest(() => openClient(server()));

const admin = () => createClient(contract, { base_url: server().url, headers: { 'x-api-key': KEY } });
const errorOf = async (answer: Response) => ({ status: answer.status, ...((await answer.json()) as object) });

test('when a new client is consented to, then its tokens count as an API key of its scopes does', async () => {
  const editor = await client().register();
  const tokens = await client().signIn(editor, { scope: 'traces:read keys:admin nonsense openid' });
  expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'traces:read', expires_in: 3600 });
  expect(tokens.refresh_token).not.toBe('');
  const who = { workspace_id: WORKSPACE, actor: expect.stringMatching(/^oauth:/), scopes: ['traces:read'] };
  expect(await callerOf(server(), bearer(tokens.access_token))).toMatchObject(who);
  expect(await callerOf(server(), { 'x-api-key': tokens.access_token })).toMatchObject(who);
  expect(
    await callerOf(server(), { ...bearer(tokens.access_token), 'x-tenant-id': WORKSPACE }),
  ).toMatchObject(who);
  expect(
    await callerOf(server(), { ...bearer(tokens.access_token), 'x-tenant-id': crypto.randomUUID() }),
  ).toEqual({ refused: 'forbidden' });
});

test('when scopes are chosen, then they may exceed what was asked for, never the key’s own', async () => {
  const editor = await client().register();
  const tokens = await client().signIn(editor, {
    scope: 'traces:read',
    outcome: { subject: server().subject, scopes: ['prompts:write', 'datasets:read'] },
  });
  expect(new Set(tokens.scope?.split(' '))).toEqual(new Set(['datasets:read', 'prompts:write']));
  const reader = await admin().createApiKey({ body: { name: 'reader', scopes: ['reader'] } });
  await expect(
    client().signIn(editor, { outcome: { subject: `key:${reader.id}`, scopes: ['prompts:write'] } }),
  ).rejects.toMatchObject({ kind: 'forbidden' });
});

test.each<[string, (url: string) => string | null]>([
  ['no resource, as clients send that know none', () => null],
  ['a slash at the end', (url) => `${url}/mcp/`],
  ['the alias', (url) => `${url}/api/mcp`],
  ['the origin', (url) => url],
  ['the origin with a slash', (url) => `${url}/`],
  ['another case of scheme and host', (url) => `${url.replace('http://127.0.0.1', 'HTTP://LOCALHOST')}/mcp`],
  ['a query', (url) => `${url}/mcp?toolsets=all`],
  ['two slashes', (url) => `${url}//mcp`],
  ['the address of the API', (url) => `${url}/api/`],
])('when a client asks for %s, then its tokens are for the MCP server', async (_name, resource) => {
  const tokens = await client().signIn(await client().register(), { resource: resource(server().url) });
  const [, claims = ''] = tokens.access_token.split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    iss: server().url,
    aud: `${server().url}/mcp`,
    workspace_id: WORKSPACE,
  });
  expect(await callerOf(server(), bearer(tokens.access_token))).toMatchObject({ workspace_id: WORKSPACE });
});

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['a foreign resource', { resource: 'https://elsewhere.test/mcp' }, { error: 'invalid_target' }],
  ['no code challenge', { code_challenge: '', code_challenge_method: '' }, { error: 'invalid_request' }],
  ['a challenge that is the verifier', { code_challenge_method: 'plain' }, { error: 'invalid_request' }],
  ['a token instead of a code', { response_type: 'token' }, { error: 'unsupported_response_type' }],
  ['that nobody is asked', { prompt: 'none' }, { error: 'login_required' }],
])('when a client asks for %s, then it is refused at its own address', async (_name, more, refused) => {
  const { address } = await client().begin(await client().register(), { more });
  const { at } = await createBrowser(server().url).visit(address);
  const { search, hash } = new URL(at);
  expect(Object.fromEntries(new URLSearchParams(search || hash.slice(1)))).toMatchObject({
    ...refused,
    state: 'a state',
    iss: server().url,
  });
});

test('when a client sends what OpenID Connect knows, then it gets its tokens all the same', async () => {
  const tokens = await client().signIn(await client().register(), {
    scope: 'openid profile offline_access',
    more: {
      nonce: 'n',
      prompt: 'consent',
      max_age: '0',
      acr_values: '1',
      claims: '{}',
      ui_locales: 'de',
      login_hint: 'x',
    },
  });
  expect(tokens).toMatchObject({ scope: 'traces:read' });
  expect(tokens['id_token']).toBeUndefined();
});

test('when a client names an address that it did not register, then no browser is sent there', async () => {
  const { address } = await client().begin(await client().register(), {
    redirect_uri: 'http://127.0.0.1:61234/other',
  });
  const { answer, at } = await createBrowser(server().url).visit(address);
  expect([answer.status, at]).toEqual([400, address]);
  expect(await answer.text()).toContain('redirect_uri');
});

test.each(['query', 'fragment', 'form_post'])(
  'when an address of the web is registered, then nobody is sent there unasked by %s',
  async (response_mode) => {
    const redirect_uri = 'https://app.example.com/callback';
    const app = await client().register({ redirect_uris: [redirect_uri] });
    const { address } = await client().begin(app, { redirect_uri, more: { prompt: 'none', response_mode } });
    const { answer } = await createBrowser(server().url).visit(address);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(await answer.text()).not.toContain(redirect_uri);
  },
);

test('when a program on this computer gets nothing, then it is told why', async () => {
  const { address } = await client().begin(await client().register(), { more: { prompt: 'none' } });
  const { at } = await createBrowser(server().url).visit(address);
  expect(at).toContain('error=login_required');
});

test('when somebody is asked, then they may deny it, and only in the browser that began it', async () => {
  const editor = await client().register();
  await expect(client().authorize(editor, { outcome: 'denied' })).rejects.toMatchObject({
    error: 'access_denied',
  });
  const { address } = await client().begin(editor);
  const [theirs, mine] = [createBrowser(server().url), createBrowser(server().url)];
  const { at } = await theirs.visit(address);
  const outcome = { subject: server().subject, scopes: ['traces:read'] } as const;
  await expect(decide(server(), { browser: mine, at, outcome })).rejects.toMatchObject({ kind: 'not_found' });
  await decide(server(), { browser: theirs, at, outcome });
  await expect(decide(server(), { browser: theirs, at, outcome })).rejects.toMatchObject({
    kind: 'not_found',
  });
});

test('when a code is used twice, then all that came of it ends', async () => {
  const tokens = await client().signIn(await client().register());
  expect(await callerOf(server(), bearer(tokens.access_token))).toMatchObject({ workspace_id: WORKSPACE });
  expect(await errorOf(await tokens.exchange())).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(await callerOf(server(), bearer(tokens.access_token))).toEqual({
    refused: 'unauthenticated',
    code: 'invalid_token',
  });
});

test.each(['access_token', 'refresh_token'] as const)(
  'when a client revokes its %s, then its grant ends, and nobody else’s',
  async (kind) => {
    const [editor, other] = [await client().register(), await client().register()];
    const tokens = await client().signIn(editor);
    const revoke = (client_id: string, token: string) =>
      fetch(client().as.revocation_endpoint ?? '', {
        method: 'POST',
        body: new URLSearchParams({ client_id, token }),
      });
    for (const [client_id, token] of [
      [other.client_id, tokens[kind]],
      [editor.client_id, 'nonsense'],
      ['nobody', 'eyJ.eyJ.x'],
    ] as const)
      expect((await revoke(client_id, token)).status).toBe(200);
    expect(await callerOf(server(), bearer(tokens.access_token))).toMatchObject({ workspace_id: WORKSPACE });
    expect((await revoke(editor.client_id, tokens[kind])).status).toBe(200);
    expect(await callerOf(server(), bearer(tokens.access_token))).toMatchObject({ code: 'invalid_token' });
    expect((await client().refresh(editor, tokens.refresh_token)).status).toBe(400);
  },
);

test('when the key that consented is deleted, then its grants end at once', async () => {
  const { id } = await admin().createApiKey({ body: { name: 'mine', scopes: ['traces:read'] } });
  const editor = await client().register();
  const tokens = await client().signIn(editor, {
    outcome: { subject: `key:${id}`, scopes: ['traces:read'] },
  });
  expect(await callerOf(server(), bearer(tokens.access_token))).toMatchObject({ workspace_id: WORKSPACE });
  await admin().deleteApiKey({ params: { key_id: id } });
  expect(await callerOf(server(), bearer(tokens.access_token))).toMatchObject({ code: 'invalid_token' });
  expect(await errorOf(await client().refresh(editor, tokens.refresh_token))).toMatchObject({
    error: 'invalid_grant',
  });
});

test('when an administrator lists what was authorized, then they see it and can revoke it', async () => {
  const tokens = await client().signIn(await client().register());
  await callerOf(server(), bearer(tokens.access_token));
  const { items } = await admin().listGrants({});
  expect(items).toMatchObject([
    { client_name: 'Editor', subject: server().subject, scopes: ['traces:read'], workspace_id: WORKSPACE },
  ]);
  const grant_id = items[0]?.id ?? '';
  await admin().deleteGrant({ params: { grant_id } });
  expect(await callerOf(server(), bearer(tokens.access_token))).toMatchObject({ code: 'invalid_token' });
  await expect(admin().deleteGrant({ params: { grant_id } })).rejects.toMatchObject({ status: 404 });
  expect(await admin().listGrants({})).toEqual({ items: [], next_cursor: null });
});

test('when a token is forged or cut short, then it is no credential', async () => {
  const { access_token } = await client().signIn(await client().register());
  const [head = '', body = '', signature = ''] = access_token.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
  const forged = Buffer.from(JSON.stringify({ ...claims, workspace_id: crypto.randomUUID() })).toString(
    'base64url',
  );
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  for (const token of [
    `${head}.${forged}.${signature}`,
    `${none}.${body}.`,
    `${head}.${body}.`,
    `${head}.${body}`,
  ])
    expect(await callerOf(server(), bearer(token))).toMatchObject({ refused: 'unauthenticated' });
});

test('when codes and tokens are given, then the database holds none of them', async () => {
  const editor = await client().register();
  const first = await client().signIn(editor);
  const second = await client().read(editor, await client().refresh(editor, first.refresh_token));
  const tables = ['oauth_records', 'oauth_grants', 'oauth_clients', 'oauth_signing_keys'];
  const kept = await Promise.all(
    tables.map((table) =>
      server().admin.query(`select row_to_json(t)::text as row from identity.${table} t`),
    ),
  );
  const text = JSON.stringify(kept);
  expect(text).toContain('Editor');
  for (const secret of [first.code, first.refresh_token, second.refresh_token, second.access_token])
    expect(text).not.toContain(secret);
});
