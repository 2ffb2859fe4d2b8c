import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { createClient } from '@roadstead/contracts';
import { identity as contract } from '@roadstead/contracts/identity';
import { Person } from '@roadstead/testing/oauth';
import { askAsConsole, calledWith, enterConsole, reloadConsole } from '../oauth/testing/console-flow.ts';
import { KEY, startIdentityServer } from '../oauth/testing/oauth-fixture.ts';
import { bearer, callerOf } from '../oauth/testing/oauth-flow.ts';

/** Sessions of browsers: how they begin by an address, how long they last, how they end. */

const server = useFixturePerTest(startIdentityServer);
const as = (headers: Record<string, string>) => createClient(contract, { base_url: server().url, headers });
const link = async (key = KEY) => (await as({ 'x-api-key': key }).createSignInLink({})).url;
/** What a browser says of an address that somebody typed, or clicked in a terminal. */
const by_hand = { headers: { 'sec-fetch-site': 'none' } };
const ours = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } };
const signOut = (person: Person, fields?: Record<string, string>) =>
  person.open(
    `${server().url}/oauth/sign-out`,
    fields ? { ...ours, body: new URLSearchParams(fields) } : ours,
  );
const who = async (person: Person) => {
  const { text } = await person.twin().open(`${server().url}/oauth/session`);
  return (JSON.parse(text) as { signed_in: { name: string }[] }).signed_in.map(({ name }) => name);
};
const isAlive = async ({ access_token }: { access_token: string }) =>
  !('refused' in (await callerOf(server(), bearer(access_token))));
const anotherKey = async () =>
  (await as({ 'x-api-key': KEY }).createApiKey({ body: { name: 'other', scopes: ['reader'] } })).key;

test('when somebody opens the address, then they are signed in and at the console, once', async () => {
  const [person, late] = [new Person(), new Person()];
  const { url, expires_at } = await as({ 'x-api-key': KEY }).createSignInLink({});
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(290_000);
  expect(Date.parse(expires_at) - Date.now()).toBeLessThan(301_000);
  await person.open(url, by_hand);
  expect(new URL(person.page.url).pathname).toBe('/console');
  expect(await who(person)).toEqual(['API key first']);
  expect((await reloadConsole(server().url, person)).scope).toBe('admin');
  expect(await late.open(url, by_hand)).toMatchObject({
    status: 404,
    text: expect.stringMatching(/good once[^]*roadstead open/),
  });
  expect(await who(late)).toEqual([]);
  const stored = await server().admin.query('select * from identity.sign_in_links');
  expect(JSON.stringify(stored)).not.toContain(url.split('/').at(-1));
});

test('when the address is five minutes old, or made up, then it says so', async () => {
  const url = await link();
  await server().admin.run('update identity.sign_in_links set expires_at = now()');
  const person = new Person();
  expect(await person.open(url, by_hand)).toMatchObject({
    status: 404,
    text: expect.stringContaining('five minutes old'),
  });
  expect((await person.open(`${server().url}/oauth/sign-in/made-up`, by_hand)).text).toContain('incomplete');
});

test('when the key has ended that made the address, then it signs nobody in', async () => {
  const key = await anotherKey();
  const url = await link(key);
  const { actor } = await as({ 'x-api-key': key }).readCaller({});
  await as({ 'x-api-key': KEY }).deleteApiKey({ params: { key_id: actor.slice('key:'.length) } });
  expect((await new Person().open(url, by_hand)).text).toContain('has ended');
});

test.each([
  ['/console/traces?x=1', '/console/traces?x=1'],
  ['/console', '/console'],
  ['https://evil.example/console/', '/console'],
  ['//evil.example/console/', '/console'],
  [String.raw`/\evil.example/console/`, '/console'],
  ['/console/../oauth/applications', '/console'],
  ['/console/%2e%2e/oauth/applications', '/console'],
  ['/consolers', '/console'],
  ['/agents/mine/', '/console'],
  ['javascript:alert(1)', '/console'],
])('when the address names %s to go to, then it leads to %s', async (to, leads_to) => {
  const answer = await fetch(`${await link()}?${new URLSearchParams({ to }).toString()}`, {
    redirect: 'manual',
    ...by_hand,
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, leads_to]);
});

test.each([
  ['a page elsewhere', { 'sec-fetch-site': 'cross-site' }],
  ['a program that looks at links', {}],
  ['a browser that fetches ahead', { ...by_hand.headers, 'sec-purpose': 'prefetch' }],
])('when %s opens the address, then nobody is signed in before a button', async (_name, headers) => {
  const [person, url] = [new Person(), await link()];
  const { status, text, headers: answered } = await person.open(url, { headers });
  expect([status, answered.get('x-frame-options')]).toEqual([200, 'DENY']);
  expect(text).toMatch(/Sign in as API key first\?[^]*default/);
  expect(await who(person)).toEqual([]);
  expect(new URL((await person.submit({ do: 'sign-in' })).url).pathname).toBe('/console');
  expect(await who(person)).toEqual(['API key first']);
});

test('when somebody else is signed in, then an address asks before it takes their place', async () => {
  const { person, ...before } = await enterConsole(server().url, { key: await anotherKey() });
  const { text } = await person.open(await link(), by_hand);
  expect(text).toMatch(/signed in as <strong>API key other<\/strong> now/);
  expect(await who(person)).toEqual(['API key other']);
  await person.submit({ do: 'sign-in' });
  expect([await who(person), await isAlive(before)]).toEqual([['API key first'], false]);
});

test('when the same person opens another address, then a console in another tab goes on', async () => {
  const { person, ...before } = await enterConsole(server().url, { key: KEY });
  await person.open(await link(), by_hand);
  expect([new URL(person.page.url).pathname, await isAlive(before)]).toEqual(['/console', true]);
});

test('when the button’s form comes from elsewhere, then nobody is signed in', async () => {
  const [person, url] = [new Person(), await link()];
  await person.open(url);
  const form_token = /name="form_token"\s+value="([^"]*)"/.exec(person.page.text)?.[1] ?? '';
  const post = (headers: Record<string, string>, token: string) =>
    person.open(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ form_token: token, do: 'sign-in' }).toString(),
    });
  expect((await post({ 'sec-fetch-site': 'cross-site' }, form_token)).status).toBe(400);
  expect((await post({ 'sec-fetch-site': 'same-origin' }, 'made up')).status).toBe(400);
  expect(await who(person)).toEqual([]);
});

test('when somebody signs in, then no cookie that was there before is theirs', async () => {
  const person = new Person();
  await askAsConsole(server().url, { person });
  const planted = person.twin();
  await person.signIn({ key: KEY });
  expect([await who(planted), await who(person)]).toEqual([[], ['API key first']]);
});

test('when somebody signs out, then the session and its tokens end, and copies of the cookie', async () => {
  const { person, ...token } = await enterConsole(server().url, { key: KEY });
  const elsewhere = await enterConsole(server().url, { key: KEY });
  const copy = person.twin();
  expect((await signOut(person)).status).toBe(204);
  expect([await isAlive(token), await isAlive(elsewhere)]).toEqual([false, true]);
  expect([await who(person), await who(copy), await who(elsewhere.person)]).toEqual([
    [],
    [],
    ['API key first'],
  ]);
  await askAsConsole(server().url, { person: copy, prompt: 'none' });
  expect(calledWith(copy)['error']).toBe('login_required');
});

test('when somebody signs out everywhere, then each browser of theirs is, and no other', async () => {
  const [mine, elsewhere] = [
    await enterConsole(server().url, { key: KEY }),
    await enterConsole(server().url, { key: KEY }),
  ];
  const other = await enterConsole(server().url, { key: await anotherKey() });
  expect((await signOut(mine.person, { everywhere: 'true' })).status).toBe(204);
  expect(await Promise.all([mine, elsewhere, other].map(isAlive))).toEqual([false, false, true]);
  expect([await who(elsewhere.person), await who(other.person)]).toEqual([[], ['API key other']]);
});

test('when the cookie is gone, then the console’s token signs out its own session', async () => {
  const { person, access_token } = await enterConsole(server().url, { key: KEY });
  const answer = await fetch(`${server().url}/oauth/sign-out`, {
    method: 'POST',
    headers: bearer(access_token),
  });
  expect([answer.status, await isAlive({ access_token }), await who(person)]).toEqual([204, false, []]);
});

test.each([
  ['from another site', { 'sec-fetch-site': 'cross-site' }],
  ['from a sandbox', { origin: 'null' }],
  ['from another origin, in an old browser', { origin: 'https://evil.example' }],
])('when a sign-out comes %s, then nobody is signed out', async (_name, headers) => {
  const { person } = await enterConsole(server().url, { key: KEY });
  const twin = person.twin();
  expect((await twin.open(`${server().url}/oauth/sign-out`, { method: 'POST', headers })).status).toBe(403);
  expect(await who(person)).toEqual(['API key first']);
});

test('when what comes with a sign-out is no form, then nobody is signed out', async () => {
  const { person } = await enterConsole(server().url, { key: KEY });
  const answer = await person
    .twin()
    .open(`${server().url}/oauth/sign-out`, { ...ours, body: '{"everywhere":' });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('x-www-form-urlencoded')]);
  expect(await who(person)).toEqual(['API key first']);
});

test.each([
  ['does nothing for twelve hours', `used_at = now() - interval '12 hours'`],
  ['signed in a month ago', 'expires_at = now()'],
])('when somebody %s, then they are signed out', async (_name, changed) => {
  const { person } = await enterConsole(server().url, { key: KEY });
  await server().admin.run(`update identity.sessions set used_at = now() - interval '11 hours'`);
  expect(await who(person)).toEqual(['API key first']);
  const [row] = await server().admin.query<{ is_recent: boolean }>(
    `select used_at > now() - interval '1 minute' as is_recent from identity.sessions`,
  );
  expect(row?.is_recent).toBe(true);
  await server().admin.run(`update identity.sessions set ${changed}`);
  expect(await who(person)).toEqual([]);
});

test('when the platform’s own listener asks for an address, then it gets none', async () => {
  await server().service.ensureKey({
    workspace_id: '*',
    name: 'listener',
    scopes: ['listener'],
    key: 'rs_listener',
  });
  await expect(link('rs_listener')).rejects.toMatchObject({ status: 403 });
});
