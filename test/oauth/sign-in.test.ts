import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { dataHome, startPlatform } from '../support/platform.ts';
import { askForTokens, authorization, register, Person } from '@roadstead/testing/oauth';

/** Somebody signs in and authorizes an application, on the real platform, by its pages' own forms. */

const REDIRECT = 'http://localhost:53122/callback';
const anna = { name: 'anna', password: 'eleven quiet herons' };

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
beforeAll(async () => {
  const file = join(home().path, 'password');
  await writeFile(file, `${anna.password}\n`);
  const added = await platform().run(
    'user',
    'add',
    'anna',
    '--scope',
    'reader',
    '--scope',
    'prompts:write',
    '--password-file',
    file,
  );
  if (added.code !== 0) throw new Error(added.stderr);
});
const client_id = useFixture(
  async () =>
    (await register(platform().url, { client_name: 'Editor', redirect_uris: [REDIRECT] })).client_id,
);

const begin = () => authorization(platform().url, { client_id: client_id(), redirect_uri: REDIRECT });
const statusOf = async (path: string, token: string) =>
  (await fetch(platform().url + path, { headers: { authorization: `Bearer ${token}` } })).status;

test('when a user authorizes what is ticked and one thing more, then the application may do that', async () => {
  const person = new Person();
  const { address, verifier, state } = begin();
  await person.open(address);
  expect(person.page.text).toContain('<strong>Editor</strong> asks you to authorize it');
  await person.signIn(anna);
  expect(person.page.text).toContain('localhost:53122');
  expect(person.offered()).toEqual({
    'traces:read': true,
    'datasets:read': true,
    'feedback:read': true,
    'prompts:read': true,
    'usage:read': true,
    'deployments:read': true,
    'prompts:write': false,
  });
  const offered = Object.keys(person.offered());
  const back = new URL(await person.allow('prompts:write'));
  expect(Object.fromEntries(back.searchParams)).toEqual({
    code: expect.anything(),
    state,
    iss: platform().url,
  });
  const { status, body } = await askForTokens(platform().url, {
    grant_type: 'authorization_code',
    client_id: client_id(),
    redirect_uri: REDIRECT,
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
  });
  expect(status).toBe(200);
  expect(body.scope.split(' ').toSorted()).toEqual(offered.toSorted());
  expect(await statusOf('/api/sessions?limit=1', body.access_token)).toBe(200);
  expect(await statusOf('/v2/workspaces', body.access_token)).toBe(403);
});
