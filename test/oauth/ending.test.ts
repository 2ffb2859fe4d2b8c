import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { dataHome, freePort } from '../support/platform.ts';
import { RestartedPlatform } from '../support/restarted-platform.ts';
import {
  askForTokens,
  authorization,
  consent,
  register,
  type Tokens,
  type Credential,
  Person,
} from '@roadstead/testing/oauth';

/** When what was authorized ends, and when it does not. */

const REDIRECT = 'http://127.0.0.1:53122/callback';
const password = 'eleven quiet herons';

const home = useFixture(dataHome);
const port = useFixture(freePort);
const running = useFixture(() => RestartedPlatform.start(home().path, { port: port() }));
const platform = () => running().current;
const client_id = useFixture(
  async () =>
    (await register(platform().url, { client_name: 'Editor', redirect_uris: [REDIRECT] })).client_id,
);

const administer = async (path: string, init: RequestInit = {}) => {
  const answer = await platform().fetch(platform().url + path, {
    ...init,
    headers: { 'content-type': 'application/json' },
  });
  const text = await answer.text();
  return (text === '' ? {} : JSON.parse(text)) as { id: string; key: string };
};
const addUser = (name: string) =>
  administer('/v2/users', { method: 'POST', body: JSON.stringify({ name, password, scopes: ['reader'] }) });
const addKey = () =>
  administer('/v2/api-keys', { method: 'POST', body: JSON.stringify({ name: 'k', scopes: ['reader'] }) });

const statusOf = async ({ access_token }: Pick<Tokens, 'access_token'>) =>
  (await fetch(`${platform().url}/v2/workspaces`, { headers: { authorization: `Bearer ${access_token}` } }))
    .status;
const readStatusOf = async ({ access_token }: Pick<Tokens, 'access_token'>) =>
  (await fetch(`${platform().url}/sessions`, { headers: { authorization: `Bearer ${access_token}` } }))
    .status;
const refresh = (refresh_token: string) =>
  askForTokens(platform().url, { grant_type: 'refresh_token', client_id: client_id(), refresh_token });

async function authorize(credential: Credential) {
  const { address, verifier } = authorization(platform().url, {
    client_id: client_id(),
    redirect_uri: REDIRECT,
  });
  const called = await consent(new Person(), { address, credential });
  const exchange = () =>
    askForTokens(platform().url, {
      grant_type: 'authorization_code',
      client_id: client_id(),
      redirect_uri: REDIRECT,
      code: called.searchParams.get('code') ?? '',
      code_verifier: verifier,
    });
  const { body } = await exchange();
  expect(await readStatusOf(body)).toBe(200);
  return { tokens: body, exchange };
}

test('when a code is used twice, then all that came of it ends', async () => {
  const { tokens, exchange } = await authorize({ key: platform().key });
  expect((await exchange()).body.error).toBe('invalid_grant');
  expect(await readStatusOf(tokens)).toBe(401);
  expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
});

test('when sessions that share a sign-in refresh one after the other, then both go on', async () => {
  const { tokens } = await authorize({ key: platform().key });
  const { body: next } = await refresh(tokens.refresh_token);
  expect(await readStatusOf(next)).toBe(200);
  expect((await refresh(tokens.refresh_token)).body).toEqual(next);
  expect(await readStatusOf(next)).toBe(200);
  expect(await readStatusOf((await refresh(next.refresh_token)).body)).toBe(200);
});

test('when the platform is killed and starts again, then tokens and sign-ins still hold', async () => {
  const person = new Person();
  await person.open(`${platform().url}/oauth/applications`);
  await person.signIn({ key: platform().key });
  const { tokens } = await authorize({ key: platform().key });
  await platform().kill();
  await running().startAgain({ port: port() });
  expect(await readStatusOf(tokens)).toBe(200);
  expect(await readStatusOf((await refresh(tokens.refresh_token)).body)).toBe(200);
  await person.open(`${platform().url}/oauth/applications`);
  expect(person.page.text).toContain('You are signed in');
});

test('when a key is revoked, then what it authorized ends, and so does its sign-in', async () => {
  const { id, key } = await addKey();
  const person = new Person();
  await person.open(`${platform().url}/oauth/applications`);
  await person.signIn({ key });
  expect(person.page.text).toContain('You are signed in');
  const { tokens } = await authorize({ key });
  await administer(`/v2/api-keys/${id}`, { method: 'DELETE' });
  expect(await readStatusOf(tokens)).toBe(401);
  expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  await person.open(`${platform().url}/oauth/applications`);
  expect(person.page.text).not.toContain('You are signed in');
});

test.each([
  ['a user that is removed', 'DELETE', undefined],
  ['a user that gets another password', 'PATCH', JSON.stringify({ password: 'twelve loud herons' })],
])('when there is %s, then what was authorized ends', async (name, method, body) => {
  const user = await addUser(name.replaceAll(' ', '-'));
  const { tokens } = await authorize({ name: name.replaceAll(' ', '-'), password });
  await administer(`/v2/users/${user.id}`, { method, ...(body === undefined ? {} : { body }) });
  expect(await readStatusOf(tokens)).toBe(401);
  expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
});

test('when a user may do less, then the application may do less', async () => {
  const user = await addUser('lesser');
  const { tokens } = await authorize({ name: 'lesser', password });
  await administer(`/v2/users/${user.id}`, {
    method: 'PATCH',
    body: JSON.stringify({ scopes: ['prompts:read'] }),
  });
  expect(await readStatusOf(tokens)).toBe(403);
});

test('when a token was not given a scope, then calls that need it are refused', async () => {
  const { tokens } = await authorize({ key: platform().key });
  expect(await statusOf(tokens)).toBe(403);
});
