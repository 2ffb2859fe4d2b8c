import { useFixturePerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { authorization, register, Person } from '@roadstead/testing/oauth';
import { startIdentityServer, WORKSPACE } from '../oauth/testing/oauth-fixture.ts';

/** The content of the pages, and their refusals. */

const REDIRECT = 'http://localhost:53122/callback';
const METADATA = 'https://editor.example/oauth/client.json';
const password = 'eleven quiet herons';

const server = useFixturePerTest(() =>
  startIdentityServer({
    outbound: async ({ url }) =>
      url === METADATA
        ? Response.json({
            client_id: METADATA,
            client_name: 'Editor',
            redirect_uris: [REDIRECT],
            token_endpoint_auth_method: 'none',
          })
        : new Response(null, { status: 404 }),
  }),
);
beforeEach(async () => {
  await server().service.ensureKey({
    workspace_id: WORKSPACE,
    name: 'admin',
    scopes: ['admin'],
    key: 'rs_admin',
  });
  await server().service.ensureKey({
    workspace_id: WORKSPACE,
    name: 'narrow',
    scopes: ['traces:read'],
    key: 'rs_narrow',
  });
});

/** A person before the first page of an authorization. */
async function arrive({ client_id = '', name = 'Editor', scope = '' } = {}) {
  const known =
    client_id || (await register(server().url, { client_name: name, redirect_uris: [REDIRECT] })).client_id;
  const { address } = authorization(server().url, {
    client_id: known,
    redirect_uri: REDIRECT,
    ...(scope === '' ? {} : { scope }),
  });
  const person = new Person();
  await person.open(address);
  return person;
}

async function addUser(key: string, scopes: string[]): Promise<void> {
  const answer = await fetch(`${server().url}/v2/users`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'anna', password, scopes }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
}

test('when a page is shown, then it forbids scripts, frames and copies, and hides its cookies', async () => {
  const person = await arrive();
  for (const step of [async () => person.page, () => person.signIn({ key: 'rs_admin' })]) {
    const { headers, status } = await step();
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(headers.get('content-security-policy')).toContain(`form-action 'self' http://localhost:53122`);
    expect([headers.get('cache-control'), headers.get('x-frame-options')]).toEqual(['no-store', 'DENY']);
  }
  expect(person.cookies()).toContain('roadstead_session');
});

test('when a client’s name holds markup, then it is shown as text', async () => {
  const person = await arrive({ name: '<img src=x onerror=alert(1)>"\'' });
  expect(person.page.text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;');
  expect((await person.signIn({ key: 'rs_admin' })).text).not.toContain('<img');
});

test('when a client is described at an address, then it is named with its host', async () => {
  const person = await arrive({ client_id: METADATA });
  expect((await person.signIn({ key: 'rs_admin' })).text).toContain(
    'editor.example, which vouches for its name',
  );
  expect(await person.allow()).toContain('code=');
});

test('when a key is narrow, then it is offered what it may do, and forged forms get no more', async () => {
  const person = await arrive({ scope: 'traces:read usage:read' });
  const { text } = await person.signIn({ key: 'rs_narrow' });
  expect(person.offered()).toEqual({ 'traces:read': true });
  expect(text).toMatch(/more than you may do yourself:\s+read usage\./);
  expect(await person.submit({ scope: ['traces:read', 'usage:read'], do: 'allow' })).toMatchObject({
    status: 403,
    text: expect.stringContaining('role="alert"'),
  });
  expect(await person.allow()).toContain('code=');
});

test('when somebody reaches several workspaces, then they choose one, and are offered its scopes', async () => {
  const made = await fetch(`${server().url}/v2/workspaces`, {
    method: 'POST',
    headers: { 'x-api-key': 'rs_admin', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'staging' }),
  });
  const { id, key } = (await made.json()) as { id: string; key: string };
  await addUser('rs_admin', ['reader']);
  await addUser(key, ['prompts:write', 'traces:read']);
  const person = await arrive();
  const { text, url } = await person.signIn({ name: 'Anna', password });
  expect(text).toMatch(/default[^]*staging/);
  await person.open(`${url}?workspace=${id}`);
  expect(person.offered()).toEqual({ 'traces:read': true, 'prompts:write': false });
  await person.open(`${url}?workspace=${WORKSPACE}`);
  expect(Object.keys(person.offered())).not.toContain('prompts:write');
  expect(await person.allow()).toContain('code=');
});

test.each([
  ['without the token of the page', { form_token: 'made up' }, {}],
  ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
  ['from another origin, in an old browser', {}, { origin: 'https://evil.example' }],
  ['from a sandbox', {}, { origin: 'null' }],
  ['that is no form', {}, { 'content-type': 'text/plain' }],
])('when a form %s is submitted, then it is refused', async (_name, fields, headers) => {
  const person = await arrive();
  await person.signIn({ key: 'rs_admin' });
  const { url, text } = person.page;
  const form_token = /name="form_token"\s+value="([^"]*)"/.exec(text)?.[1] ?? '';
  const form = { form_token, workspace: WORKSPACE, scope: 'traces:read', do: 'allow', ...fields };
  const answer = await person.open(url, {
    method: 'POST',
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
  expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('load it again') });
  expect(answer.left_for).toBeUndefined();
});

test('when another browser began something, then nobody else goes on with it', async () => {
  const victim = new Person();
  const { page } = await arrive();
  expect(await victim.open(page.url)).toMatchObject({
    status: 404,
    text: expect.stringContaining('start again'),
  });
});

test('when signing in fails, then the page keeps the name and never the password, and says why', async () => {
  await addUser('rs_admin', ['reader']);
  const person = await arrive();
  const { status, text } = await person.signIn({ name: 'anna"><b>', password: 'a wrong one, surely' });
  expect(status).toBe(401);
  expect(text).toContain('value="anna&quot;&gt;&lt;b&gt;"');
  expect(text).not.toContain('surely');
  expect((await person.signIn({ key: 'rs_nonsense' })).status).toBe(401);
});

test('when somebody signs out, then they are asked for a password again', async () => {
  const person = await arrive();
  await person.signIn({ key: 'rs_admin' });
  expect((await person.submit({ do: 'sign-out' })).text).toContain('name="password"');
});

/** A namesake whose password somebody knows and may set, in a workspace of their own. */
async function addNamesake() {
  const made = await fetch(`${server().url}/v2/workspaces`, {
    method: 'POST',
    headers: { 'x-api-key': 'rs_admin', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'theirs' }),
  });
  const { key } = (await made.json()) as { key: string };
  await addUser(key, ['reader']);
  const as = { 'x-api-key': key, 'content-type': 'application/json' };
  const listed = await fetch(`${server().url}/v2/users`, { headers: as });
  const { items } = (await listed.json()) as { items: { id: string }[] };
  return {
    setPassword: (chosen: string) =>
      fetch(`${server().url}/v2/users/${items[0]?.id ?? ''}`, {
        method: 'PATCH',
        headers: as,
        body: JSON.stringify({ password: chosen }),
      }),
  };
}

async function addVictim() {
  const answer = await fetch(`${server().url}/v2/users`, {
    method: 'POST',
    headers: { 'x-api-key': 'rs_admin', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'anna', password: 'the password of the victim', scopes: ['reader'] }),
  });
  expect(answer.status).toBe(201);
}

test('when a browser is known for one user, then it guesses no more often at a namesake', async () => {
  await addVictim();
  await addNamesake();
  const statuses: number[] = [];
  // Browsers that vouch for the one user, each with an unused limit of its own.
  for (let browser = 0; browser < 3; browser += 1) {
    const person = await arrive();
    await person.signIn({ name: 'anna', password });
    await person.submit({ do: 'sign-out' });
    for (let guess = 0; guess < 6; guess += 1)
      statuses.push(
        (await person.signIn({ name: 'anna', password: `guess number ${browser}${guess}` })).status,
      );
  }
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
  const { status } = await (await arrive()).signIn({ name: 'anna', password: 'the password of the victim' });
  expect(status).toBe(429);
});

test('when somebody sets their own password to guess at a namesake, then each guess counts', async () => {
  await addVictim();
  const { setPassword } = await addNamesake();
  for (let guess = 0; guess < 11; guess += 1) {
    await setPassword(`a guess of theirs ${guess}`);
    await (await arrive()).signIn({ name: 'anna', password: `a guess of theirs ${guess}` });
  }
  await setPassword('the password of the victim');
  const person = await arrive();
  const { status, text } = await person.signIn({ name: 'anna', password: 'the password of the victim' });
  expect([status, text.includes('Which workspace')]).toEqual([429, false]);
});

test('when others guess at a name, then browsers that are known for its users still sign them in', async () => {
  await addVictim();
  const person = await arrive();
  await person.signIn({ name: 'anna', password: 'the password of the victim' });
  await person.submit({ do: 'sign-out' });
  const guessing = await arrive();
  for (let guess = 0; guess < 11; guess += 1)
    await guessing.signIn({ name: 'anna', password: `guess number ${guess}` });
  expect(guessing.page.status).toBe(429);
  expect((await person.signIn({ name: 'anna', password: 'the password of the victim' })).text).toContain(
    'Authorize',
  );
});
