import { expect, test } from 'vitest';
import type { TokenEventSummary, TokenSummary } from '@roadstead/contracts/control-plane';
import { OTHER_WORKSPACE, until } from '../../testing/fixture.ts';
import { type AuthFixture, startAuthFixture } from '../testing/auth-fixture.ts';

const connected = async (fixture: AuthFixture, request: { scopes?: string[]; user_id?: string } = {}) => {
  const { url } = await fixture.authenticate(request);
  expect((await fixture.consent(url ?? '')).text).toContain('is connected');
};
const listed = async (fixture: AuthFixture, query = '') =>
  (await fixture.call(`/v2/auth/tokens${query}`)).json<TokenSummary[]>();
const events = async (fixture: AuthFixture) =>
  (await fixture.call('/v2/auth/token-events')).json<TokenEventSummary[]>();
/** Pretends that the token was obtained an hour ago. */
const age = (fixture: AuthFixture) =>
  fixture.db.run(`update oauth_tokens set expires_at = now() + interval '30 seconds'`);

test('when twenty ask two instances at once for a token that ends, then it is refreshed once', async () => {
  await using fixture = await startAuthFixture();
  await connected(fixture);
  await age(fixture);
  const another = await fixture.startAnother();
  const ask = async (index: number) => {
    if (index % 2 === 0) return fixture.authenticate();
    const request = new Request('http://roadstead.test/v2/auth/authenticate', {
      method: 'POST',
      headers: {
        'x-api-key': 'rs_admin_11111111-1111-4111-8111-111111111111',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ provider: 'mail', scopes: ['repo'], user_id: 'anna' }),
    });
    const inward = await fixture.identity.edge.inward(request.headers, 'control-plane');
    return (await another.served.fetch(request, inward)).json() as Promise<{ status: string; token: string }>;
  };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['completed']));
  const tokens = [...new Set(answers.map(({ token }) => token))];
  expect(tokens).toHaveLength(1);
  expect(await fixture.server.look(tokens[0] ?? '')).toMatchObject({ account: 'anna' });
  expect(fixture.server.grants.map(({ kind }) => kind)).toEqual(['authorization_code', 'refresh_token']);
});

test('when a token is fresh, then it is given; each refresh takes the newest refresh token', async () => {
  await using fixture = await startAuthFixture();
  await connected(fixture);
  const { token } = await fixture.authenticate();
  expect((await fixture.authenticate()).token).toBe(token);
  for (let time = 0; time < 3; time += 1) {
    await age(fixture);
    expect((await fixture.authenticate()).status).toBe('completed');
  }
  expect(fixture.server.grants.filter(({ kind, ok }) => kind === 'refresh_token' && ok)).toHaveLength(3);
});

test('when a token lives for less than a minute, then it is refreshed for each that asks', async () => {
  await using fixture = await startAuthFixture({ ttl_s: 20 });
  await connected(fixture);
  const first = await fixture.authenticate();
  const second = await fixture.authenticate();
  expect(await fixture.server.look(second.token ?? '')).toMatchObject({ account: 'anna' });
  expect(second.token).not.toBe(first.token);
  expect(fixture.server.grants.filter(({ kind }) => kind === 'refresh_token')).toHaveLength(2);
});

test('when a token can’t be refreshed, then consent mends it, and its history says so', async () => {
  await using fixture = await startAuthFixture();
  await connected(fixture);
  const [before] = await listed(fixture);
  await fixture.db.run('update oauth_tokens set expires_at = now()');
  fixture.server.refuses = true;
  const broken = await fixture.authenticate();
  expect(broken).toMatchObject({
    status: 'token_expired',
    token: null,
    url: expect.stringContaining('/auth?'),
  });
  fixture.server.refuses = false;
  expect((await fixture.authenticate()).status).toBe('token_expired');
  expect((await events(fixture))[0]).toMatchObject({
    event_type: 'reconnect_required',
    reason: 'invalid_grant',
    source: 'refresh',
    provider_id: 'mail',
  });
  expect((await fixture.consent(broken.url ?? '')).status).toBe(200);
  expect((await fixture.authenticate()).status).toBe('completed');
  expect(await listed(fixture)).toEqual([
    { ...before, expires_at: expect.any(String), updated_at: expect.any(String) },
  ]);
  expect((await events(fixture)).map(({ event_type }) => event_type)).toEqual([
    'connected',
    'reconnect_required',
    'connected',
  ]);
});

test('when a provider is away, then its tokens are given until they end, and refused after that', async () => {
  await using fixture = await startAuthFixture();
  await connected(fixture);
  const { token } = await fixture.authenticate();
  await age(fixture);
  fixture.server.away = true;
  expect(await fixture.authenticate()).toMatchObject({ status: 'completed', token });
  await fixture.db.run('update oauth_tokens set expires_at = now()');
  const answer = await fixture.call('/v2/auth/authenticate', {
    body: { provider: 'mail', scopes: ['repo'], user_id: 'anna' },
  });
  expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('Mail does not answer')]);
  fixture.server.away = false;
  expect((await fixture.authenticate()).status).toBe('completed');
});

test('when a token has what is asked for, then it serves; a flow for more asks for both', async () => {
  await using fixture = await startAuthFixture();
  await connected(fixture, { scopes: ['repo', 'mail'] });
  for (const scopes of [['repo'], ['mail', 'repo'], []])
    expect((await fixture.authenticate({ scopes })).status).toBe('completed');
  const wider = await fixture.authenticate({ scopes: ['admin'] });
  expect(wider.status).toBe('pending');
  expect(new URL(wider.url ?? '').searchParams.get('scope')?.split(' ').sort()).toEqual([
    'admin',
    'mail',
    'repo',
  ]);
  await fixture.consent(wider.url ?? '');
  expect(await listed(fixture)).toHaveLength(1);
  expect((await fixture.authenticate({ scopes: ['admin', 'mail'] })).status).toBe('completed');
});

test('when a user has several accounts, then each has a token, and the default comes first', async () => {
  await using fixture = await startAuthFixture();
  const add = async (account: string, is_default: boolean) => {
    fixture.server.account = account;
    const { url, auth_id } = await fixture.authenticate({ force_new: true, is_default });
    await fixture.consent(url ?? '');
    return (await fixture.call(`/v2/auth/wait/${auth_id}?timeout=5`)).json<{ token: string }>().token;
  };
  const [work, home] = [await add('work', true), await add('home', false)];
  expect((await fixture.authenticate()).token).toBe(work);
  const tokens = await listed(fixture);
  expect(tokens.map(({ is_default }) => is_default)).toEqual([false, true]);
  expect((await fixture.authenticate({ token_id: tokens[0]?.id ?? null })).token).toBe(home);
  const patched = await fixture.call(`/v2/auth/tokens/${tokens[0]?.id}/metadata`, {
    method: 'PATCH',
    body: { provider_account_label: 'at home', is_default: true },
  });
  expect(patched.json()).toMatchObject({ provider_account_label: 'at home', is_default: true });
  expect((await listed(fixture)).map(({ is_default }) => is_default)).toEqual([true, false]);
  expect((await fixture.authenticate()).token).toBe(home);
});

test('when tokens are listed, then a key sees those got with it, and other workspaces none', async () => {
  await using fixture = await startAuthFixture();
  await connected(fixture, { user_id: 'anna' });
  await connected(fixture, { user_id: 'ben' });
  expect(await listed(fixture)).toHaveLength(2);
  expect(await listed(fixture, '?user_id=anna')).toHaveLength(1);
  expect(await listed(fixture, '?user_id=nobody')).toEqual([]);
  const other = `rs_admin_${OTHER_WORKSPACE}`;
  expect((await fixture.call('/v2/auth/tokens', { key: other })).json()).toEqual([]);
  const [token] = await listed(fixture);
  const foreign = await fixture.call(`/v2/auth/tokens/${token?.id}`, { method: 'DELETE', key: other });
  expect(foreign.status).toBe(404);
  expect(
    (
      await fixture.call('/v2/auth/authenticate', {
        body: { provider: 'mail', scopes: [], user_id: 'anna' },
        key: other,
      })
    ).status,
  ).toBe(404);
  // Another key has created none of them, though it may ask for either.
  const key = await fixture.keyOf(['connections:admin']);
  expect((await fixture.call('/v2/auth/tokens', { key })).json()).toEqual([]);
  expect((await fixture.authenticate({ user_id: 'ben' }, key)).status).toBe('completed');
});

test('when tokens are deleted, one or all of a provider, then they are revoked there first', async () => {
  await using fixture = await startAuthFixture();
  await connected(fixture);
  const { token } = await fixture.authenticate();
  const [row] = await listed(fixture);
  expect((await fixture.call(`/v2/auth/tokens/${row?.id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await fixture.server.look(token ?? '')).toBeUndefined();
  expect((await events(fixture))[0]).toMatchObject({
    event_type: 'deleted',
    detail: { revocation: 'confirmed' },
  });
  expect((await fixture.call(`/v2/auth/tokens/${row?.id}`, { method: 'DELETE' })).status).toBe(404);
  await connected(fixture);
  const exists = async () => (await fixture.call('/v2/auth/tokens/exists?provider_id=mail')).json();
  expect(await exists()).toEqual({ has_token: true });
  expect(
    (await fixture.call('/v2/auth/tokens/exists/batch', { body: { provider_ids: ['mail', 'none'] } })).json(),
  ).toEqual({ has_token: { mail: true, none: false } });
  const removed = await fixture.call('/v2/auth/tokens?provider_id=mail', { method: 'DELETE' });
  expect([removed.status, removed.json()]).toEqual([
    200,
    { message: '1 token of mail was deleted.', provider_id: 'mail' },
  ]);
  expect(await exists()).toEqual({ has_token: false });
  expect((await fixture.call('/v2/auth/tokens', { method: 'DELETE' })).status).toBe(422);
});

test('when a token is imported, then it is given, unless it is known to have ended', async () => {
  await using fixture = await startAuthFixture();
  const body = { provider_id: 'mail', access_token: 'imported', scopes: ['repo'] };
  const imported = await fixture.call('/v2/auth/tokens/import?user_id=anna', { body });
  expect([imported.status, Object.keys(imported.json())]).toEqual([200, ['token_id']]);
  expect(await fixture.authenticate()).toMatchObject({ status: 'completed', token: 'imported' });
  const gone = { ...body, expires_in_seconds: 0 };
  await fixture.call('/v2/auth/tokens/import?user_id=ben', { body: gone });
  expect((await fixture.authenticate({ user_id: 'ben' })).status).toBe('token_expired');
  const none = await fixture.call('/v2/auth/tokens/import', { body: { ...body, provider_id: 'none' } });
  expect(none.status).toBe(404);
});

test('when a workspace’s Slack tokens are deleted, then those of all users go at once', async () => {
  await using fixture = await startAuthFixture();
  await fixture.call('/v2/auth/providers', {
    body: { ...fixture.provider, provider_id: 'chat', provider_type: 'slack', revocation_url: null },
  });
  const exists = async () => (await fixture.call('/v2/auth/tokens/workspace/slack/exists')).json();
  await connected(fixture);
  expect(await exists()).toEqual({ has_token: false });
  for (const user of ['anna', 'ben'])
    await fixture.call(`/v2/auth/tokens/import?user_id=${user}`, {
      body: { provider_id: 'chat', access_token: 'xoxp' },
    });
  expect(await exists()).toEqual({ has_token: true });
  const removed = await fixture.call('/v2/auth/tokens/workspace/slack', { method: 'DELETE' });
  expect(removed.json()).toMatchObject({ message: '2 tokens of slack were deleted.' });
  expect(await exists()).toEqual({ has_token: false });
  expect(await listed(fixture)).toHaveLength(1);
});

test('when a token is deleted while it is refreshed, then no successor is left', async () => {
  await using fixture = await startAuthFixture();
  await connected(fixture);
  const [row] = await listed(fixture);
  await fixture.db.run('update oauth_tokens set expires_at = now()');
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  fixture.server.before = async () => {
    asked += 1;
    await gate.promise;
  };
  const refreshing = fixture.authenticate();
  await until(async () => asked > 0, 'the refresh');
  const deleting = fixture.call(`/v2/auth/tokens/${row?.id}`, { method: 'DELETE' });
  gate.resolve();
  const [{ token }, deleted] = await Promise.all([refreshing, deleting]);
  expect(deleted.status).toBe(204);
  expect(await listed(fixture)).toEqual([]);
  expect(token === null ? undefined : await fixture.server.look(token)).toBeUndefined();
});
