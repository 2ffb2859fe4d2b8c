import { expect, test } from 'vitest';
import { CALLBACK, formOf, startAuthFixture } from '../testing/auth-fixture.ts';
import { visit } from '@roadstead/testing/oauth';
import { OTHER_WORKSPACE } from '../../testing/fixture.ts';

test('when a user consents, then the token is there for who waits and for who asks', async () => {
  await using fixture = await startAuthFixture();
  const { server, authenticate } = fixture;
  const asked = await authenticate();
  expect(asked).toMatchObject({ status: 'pending', token: null, user_id: 'anna' });
  const url = new URL(asked.url ?? '');
  expect(`${url.origin}${url.pathname}`).toBe(`${server.url}/auth`);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'roadstead',
    redirect_uri: CALLBACK,
    scope: 'repo',
    code_challenge_method: 'S256',
    state: expect.stringMatching(/^[\w-]{40,}$/),
  });
  const waiting = fixture.call(`/v2/auth/wait/${asked.auth_id}?timeout=60`);
  const { status, shown = '', text } = await fixture.consent(url.href);
  expect(status).toBe(200);
  for (const said of ['Connect Mail?', 'anna', 'repo']) expect(shown).toContain(said);
  expect(text).toContain('Mail is connected');
  const waited = (await waiting).json<{ status: string; token: string }>();
  expect(waited.status).toBe('completed');
  expect(await server.look(waited.token)).toMatchObject({ account: 'anna', scopes: ['repo'] });
  expect(await authenticate()).toMatchObject({ status: 'completed', token: waited.token, url: null });
  expect(server.grants).toEqual([{ kind: 'authorization_code', ok: true }]);
});

test('when the provider sends a user back, then nothing is stored until the user decides', async () => {
  await using fixture = await startAuthFixture();
  const asked = await fixture.authenticate();
  const returned = await visit(asked.url ?? '', CALLBACK);
  for (let time = 0; time < 2; time += 1) {
    const page = await fixture.fetch(new Request(returned));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`);
    expect(page.headers.get('cache-control')).toBe('no-store');
  }
  expect((await fixture.call(`/v2/auth/wait/${asked.auth_id}?timeout=0`)).json()).toEqual({
    status: 'pending',
    token: null,
  });
  expect(fixture.server.grants).toEqual([]);
});

test('when a state is used, then it is used once, with the provider that it was made for', async () => {
  await using fixture = await startAuthFixture();
  const { url } = await fixture.authenticate();
  const { returned, shown = '' } = await fixture.consent(url ?? '');
  const again = await fixture.fetch(new Request(returned));
  expect([again.status, await again.text()]).toEqual([400, expect.stringContaining('was used already')]);
  expect((await fixture.fetch(formOf(shown, 'connect'))).status).toBe(400);
  const finish = (state: string, provider = 'mail') =>
    fixture.call(`/v2/auth/callback/${provider}`, { body: { code: 'some', state } });
  expect((await finish(returned.searchParams.get('state') ?? '')).json()).toMatchObject({
    error: 'invalid_state',
  });
  expect((await finish('made-up')).status).toBe(400);
  await fixture.call('/v2/auth/providers', { body: { ...fixture.provider, provider_id: 'other' } });
  const second = await fixture.authenticate({ force_new: true });
  const state = new URL(second.url ?? '').searchParams.get('state') ?? '';
  expect((await finish(state, 'other')).json()).toMatchObject({ error: 'invalid_state' });
});

test('when a flow is ten minutes old, then it is over', async () => {
  await using fixture = await startAuthFixture();
  const asked = await fixture.authenticate();
  await fixture.db.run(`update oauth_flows set expires_at = expires_at - interval '10 minutes'`);
  const { status, text } = await fixture.consent(asked.url ?? '');
  expect([status, text]).toEqual([400, expect.stringContaining('too old')]);
  expect((await fixture.call(`/v2/auth/wait/${asked.auth_id}?timeout=5`)).json()).toMatchObject({
    status: 'not_found',
  });
  expect(fixture.server.grants).toEqual([]);
});

test('when an answer names another issuer, then it is refused before the code is sent anywhere', async () => {
  await using fixture = await startAuthFixture();
  const asked = await fixture.authenticate();
  const returned = await visit(asked.url ?? '', CALLBACK);
  expect(returned.searchParams.get('iss')).toBe(fixture.server.url);
  returned.searchParams.set('iss', 'https://evil.example');
  const answer = await fixture.fetch(new Request(returned));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('another provider')]);
  expect(fixture.server.grants).toEqual([]);
});

test('when somebody denies or cancels, then nothing is connected, and who waits hears it at once', async () => {
  await using fixture = await startAuthFixture();
  const canceled = await fixture.authenticate();
  const waiting = fixture.call(`/v2/auth/wait/${canceled.auth_id}?timeout=60`);
  expect((await fixture.consent(canceled.url ?? '', 'cancel')).text).toContain('Nothing was connected');
  expect((await waiting).json()).toEqual({ status: 'not_found', token: null });
  fixture.server.denies = true;
  const denied = await fixture.authenticate();
  expect((await fixture.consent(denied.url ?? '')).text).toContain('You did not allow it at Mail');
  expect((await fixture.call(`/v2/auth/wait/${denied.auth_id}?timeout=5`)).json()).toMatchObject({
    status: 'not_found',
  });
  expect(fixture.server.grants).toEqual([]);
});

test('when a form comes from elsewhere, then it is refused, and its text is not repeated', async () => {
  await using fixture = await startAuthFixture();
  const { url } = await fixture.authenticate();
  const page = await fixture.fetch(new Request(await visit(url ?? '', CALLBACK)));
  const form = formOf(await page.text(), 'connect');
  const foreign = new Request(form.clone(), {
    headers: {
      ...Object.fromEntries(form.headers),
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    },
  });
  expect((await fixture.fetch(foreign)).status).toBe(400);
  const echo = await fixture.fetch(
    new Request(`${CALLBACK}?error=x&error_description=%3Cb%3Ecall+us%3C/b%3E&state=none`),
  );
  expect([echo.status, await echo.text()]).toEqual([400, expect.not.stringContaining('call us')]);
  expect((await fixture.fetch(form)).status).toBe(200);
});

test('when the time to wait is up, then waiting ends, and at once where there is nothing', async () => {
  await using fixture = await startAuthFixture();
  const { auth_id } = await fixture.authenticate();
  const wait = async (id: string | null, timeout: number, key?: string) =>
    (await fixture.call(`/v2/auth/wait/${id}?timeout=${timeout}`, key === undefined ? {} : { key })).json();
  expect(await wait(auth_id, 1)).toEqual({ status: 'timeout', token: null });
  expect(await wait(crypto.randomUUID(), 5)).toEqual({ status: 'not_found', token: null });
  expect(await wait('made-up', 5)).toEqual({ status: 'not_found', token: null });
  expect(await wait(auth_id, 5, `rs_admin_${OTHER_WORKSPACE}`)).toMatchObject({ status: 'not_found' });
});

test('when a program has the code of its flow, then it finishes it, and no other workspace can', async () => {
  await using fixture = await startAuthFixture();
  const { url, auth_id } = await fixture.authenticate();
  const { searchParams } = await visit(url ?? '', CALLBACK);
  const body = {
    code: searchParams.get('code'),
    state: searchParams.get('state'),
    iss: searchParams.get('iss'),
  };
  const finish = (key?: string) =>
    fixture.call('/v2/auth/callback/mail', { body, ...(key === undefined ? {} : { key }) });
  expect((await finish(`rs_admin_${OTHER_WORKSPACE}`)).json()).toMatchObject({ error: 'invalid_state' });
  expect((await finish(await fixture.keyOf(['connections:read']))).status).toBe(403);
  const finished = await finish();
  expect([finished.status, finished.json()]).toEqual([
    200,
    { status: 'completed', auth_id, provider_id: 'mail' },
  ]);
});

test('when the provider refuses a code, then the flow ends with the reason', async () => {
  await using fixture = await startAuthFixture();
  const { url, auth_id } = await fixture.authenticate();
  const state = new URL(url ?? '').searchParams.get('state');
  const answer = await fixture.call('/v2/auth/callback/mail', { body: { code: 'made-up', state } });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('invalid_grant')]);
  expect((await fixture.call(`/v2/auth/wait/${auth_id}?timeout=5`)).json()).toMatchObject({
    status: 'not_found',
  });
});
