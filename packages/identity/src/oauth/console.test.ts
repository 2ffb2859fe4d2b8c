import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { CONSOLE_CLIENT, identity as contract } from '@roadstead/contracts/identity';
import { createClient } from '@roadstead/contracts';
import { askForTokens, authorization, Person, register } from '@roadstead/testing/oauth';
import { KEY, startIdentityServer, WORKSPACE } from './testing/oauth-fixture.ts';
import { askAsConsole, calledWith, enterConsole, exchange, reloadConsole } from './testing/console-flow.ts';
import { bearer, callerOf } from './testing/oauth-flow.ts';

/** The console as an OAuth client of our own. */

const server = useFixturePerTest(startIdentityServer);
const anna = { name: 'anna', password: 'eleven quiet herons' };
const as = (headers: Record<string, string>) => createClient(contract, { base_url: server().url, headers });
const admin = () => as({ 'x-api-key': KEY });
const keyId = () => server().subject;

test('when somebody signs in by key, then the console may do what the key may, as the key', async () => {
  const { person, access_token, ...answer } = await enterConsole(server().url, { key: KEY });
  expect(answer).toMatchObject({ scope: 'admin', expires_in: 3600 });
  expect(answer).not.toHaveProperty('refresh_token');
  expect(calledWith(person)).toMatchObject({ iss: server().url });
  const principal = { workspace_id: WORKSPACE, actor: keyId(), scopes: ['admin'] };
  expect(await callerOf(server(), bearer(access_token))).toMatchObject(principal);
  const caller = await as(bearer(access_token)).readCaller({});
  expect(caller).toMatchObject({ actor: keyId(), name: 'first', scopes: ['admin'] });
  const made = await as(bearer(access_token)).createApiKey({ body: { name: 'made', scopes: ['reader'] } });
  expect(made.key).toMatch(/^rs_/);
});

test('when a user signs in, then the console may do as much as the user, and makes nobody more', async () => {
  const scopes = ['reader' as const, 'keys:admin' as const];
  const user = await admin().createUser({ body: { ...anna, scopes } });
  const { access_token, scope } = await enterConsole(server().url, anna);
  expect(scope.split(' ').toSorted()).toEqual(scopes.toSorted());
  const mine = as(bearer(access_token));
  expect(await mine.readCaller({})).toMatchObject({ actor: `user:${user.id}`, name: 'anna', scopes });
  expect(await mine.createApiKey({ body: { name: 'made', scopes: ['traces:read'] } })).toMatchObject({
    scopes: ['traces:read'],
  });
  await expect(mine.createApiKey({ body: { name: 'more', scopes: ['admin'] } })).rejects.toMatchObject({
    status: 403,
  });
  await admin().patchUser({ params: { user_id: user.id }, body: { scopes: ['traces:read'] } });
  expect(await callerOf(server(), bearer(access_token))).toMatchObject({ scopes: [] });
});

test('when somebody is signed in, then a reload is one redirect, without a page', async () => {
  const { person } = await enterConsole(server().url, { key: KEY });
  for (const prompt of ['none', undefined]) {
    const { address } = authorization(server().url, {
      client_id: CONSOLE_CLIENT,
      redirect_uri: `${server().url}/console/callback`,
      ...(prompt === undefined ? {} : { prompt }),
    });
    const cookie = person.header('/oauth/authorize');
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([303, []]);
    expect(answer.headers.get('location')).toMatch(/\/console\/callback\?code=.+&state=.+&iss=/);
  }
});

test('when nobody is signed in, then the console learns it without a page', async () => {
  const person = new Person();
  const { state } = await askAsConsole(server().url, { person, prompt: 'none' });
  expect(calledWith(person)).toMatchObject({ error: 'login_required', state, iss: server().url });
});

test('when somebody asks to sign in again, then they do, as whoever they like', async () => {
  const { person } = await enterConsole(server().url, { key: KEY });
  await admin().createUser({ body: { ...anna, scopes: ['reader'] } });
  const asked = await askAsConsole(server().url, { person, prompt: 'login' });
  expect(person.page.text).toContain('name="password"');
  await person.signIn(anna);
  expect((await exchange(server().url, { person, asked })).body.scope).toBe('reader');
});

test('when somebody reaches several workspaces, then the console names one, or gets the first', async () => {
  const other = await admin().createWorkspace({ body: { name: 'staging' } });
  await admin().createUser({ body: { ...anna, scopes: ['reader'] } });
  await as({ 'x-api-key': other.key }).createUser({ body: { ...anna, scopes: ['traces:read'] } });
  const { person, access_token } = await enterConsole(server().url, anna);
  expect(await callerOf(server(), bearer(access_token))).toMatchObject({ workspace_id: WORKSPACE });
  const { text } = await person.open(`${server().url}/oauth/session`);
  expect(JSON.parse(text)).toMatchObject({
    signed_in: [
      { name: 'anna', workspace: { id: WORKSPACE, name: 'default' }, scopes: ['reader'] },
      { name: 'anna', workspace: { id: other.id, name: 'staging' }, scopes: ['traces:read'] },
    ],
  });
  const asked = await askAsConsole(server().url, { person, prompt: 'none', workspace: other.id });
  const { body } = await exchange(server().url, { person, asked });
  expect(await callerOf(server(), bearer(body.access_token))).toMatchObject({
    workspace_id: other.id,
    scopes: ['traces:read'],
  });
  await askAsConsole(server().url, { person, prompt: 'none', workspace: crypto.randomUUID() });
  expect(calledWith(person)['error']).toBe('login_required');
});

test.each([
  ['another address', { redirect_uri: 'http://127.0.0.1:1/console/callback' }],
  ['a path beside it', { redirect_uri: 'own:/console/callback/../../evil' }],
  ['a query behind it', { redirect_uri: 'own:/console/callback?to=https://evil.example' }],
  ['no challenge', { code_challenge: '' }],
  ['a plain challenge', { code_challenge_method: 'plain' }],
])('when the console’s client comes with %s, then it gets no code', async (_name, changed) => {
  const { person } = await enterConsole(server().url, { key: KEY });
  const address = new URL(
    authorization(server().url, {
      client_id: CONSOLE_CLIENT,
      redirect_uri: `${server().url}/console/callback`,
    }).address,
  );
  for (const [name, value] of Object.entries(changed))
    address.searchParams.set(name, value.replace('own:', server().url));
  const { url, left_for } = await person.open(address.href);
  expect([left_for, new URL(url).searchParams.get('code')]).toEqual([undefined, null]);
});

test('when somebody registers, then the console’s id stays ours, and its ways stay closed', async () => {
  const redirect_uri = 'http://127.0.0.1:61234/callback';
  const made = await register(server().url, {
    client_id: CONSOLE_CLIENT,
    client_name: 'Console',
    redirect_uris: [redirect_uri],
  });
  expect(made.client_id).not.toBe(CONSOLE_CLIENT);
  const { person } = await enterConsole(server().url, { key: KEY });
  await person.open(authorization(server().url, { client_id: made.client_id, redirect_uri }).address);
  // An application is consented to, whoever is signed in, and never offered to administer.
  expect(person.page.text).toContain('Authorize');
  expect(Object.keys(person.offered())).not.toContain('admin');
  const device = await fetch(`${server().url}/oauth/device/code`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: CONSOLE_CLIENT }),
  });
  expect(device.status).toBe(400);
});

test('when a code is used again, or by whoever lacks the verifier, then it gives no token', async () => {
  const { person } = await enterConsole(server().url, { key: KEY });
  const asked = await askAsConsole(server().url, { person, prompt: 'none' });
  const stolen = await exchange(server().url, { person, asked: { ...asked, verifier: 'x'.repeat(43) } });
  expect(stolen.body.error).toBe('invalid_grant');
  const again = await askAsConsole(server().url, { person, prompt: 'none' });
  const { body } = await exchange(server().url, { person, asked: again });
  expect((await exchange(server().url, { person, asked: again })).body.error).toBe('invalid_grant');
  // Somebody stole the code: what it gave ends too.
  expect(await callerOf(server(), bearer(body.access_token))).toMatchObject({ refused: 'unauthenticated' });
});

test('when a console is reloaded more often than others may ask, then it does not wait', async () => {
  const { person } = await enterConsole(server().url, { key: KEY });
  await askAsConsole(server().url, { person, prompt: 'none' });
  await server().admin.run('update identity.attempts set count = 301');
  await askAsConsole(server().url, { person, prompt: 'none' });
  expect(calledWith(person)['code']).toEqual(expect.any(String));
  const asked = await askAsConsole(server().url, { person: new Person() });
  expect((await fetch(asked.address)).status).toBe(429);
});

test('when the key or the password ends, then the console’s tokens do, and its session', async () => {
  const user = await admin().createUser({ body: { ...anna, scopes: ['reader'] } });
  const { person, access_token } = await enterConsole(server().url, anna);
  await admin().patchUser({ params: { user_id: user.id }, body: { password: 'twelve loud herons' } });
  expect(await callerOf(server(), bearer(access_token))).toMatchObject({ refused: 'unauthenticated' });
  await askAsConsole(server().url, { person, prompt: 'none' });
  expect(calledWith(person)['error']).toBe('login_required');
});

test('when two tabs ask at the same time, then both get tokens, and one sign-out ends both', async () => {
  const { person } = await enterConsole(server().url, { key: KEY });
  const [one, other] = await Promise.all([
    reloadConsole(server().url, person.twin()),
    reloadConsole(server().url, person.twin()),
  ]);
  await person.open(`${server().url}/oauth/sign-out`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  for (const { access_token } of [one, other])
    expect(await callerOf(server(), bearer(access_token))).toMatchObject({ refused: 'unauthenticated' });
});

test('when a token of an application is used, then it makes no address that signs in', async () => {
  const redirect_uri = 'http://127.0.0.1:61234/callback';
  const { client_id } = await register(server().url, {
    client_name: 'Editor',
    redirect_uris: [redirect_uri],
  });
  const { address, verifier } = authorization(server().url, { client_id, redirect_uri });
  const person = new Person();
  await person.open(address);
  await person.signIn({ key: KEY });
  const code = new URL(await person.allow()).searchParams.get('code') ?? '';
  const { body } = await askForTokens(server().url, {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri,
    code,
    code_verifier: verifier,
  });
  await expect(as(bearer(body.access_token)).createSignInLink({})).rejects.toMatchObject({ status: 403 });
});
