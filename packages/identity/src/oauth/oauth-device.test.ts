import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { createBrowser, decide, startIdentityServer, WORKSPACE } from './testing/oauth-fixture.ts';
import { bearer, callerOf, openClient } from './testing/oauth-flow.ts';

const server = useFixturePerTest(startIdentityServer);
const client = useFixturePerTest(() => openClient(server()));

const post = (path: string, form: Record<string, string>) =>
  fetch(server().url + path, { method: 'POST', body: new URLSearchParams(form) });
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** A device that shows its code, and how it asks for its tokens. */
async function beginDevice() {
  const { client_id } = await client().register({ redirect_uris: [], grant_types: [GRANT, 'refresh_token'] });
  const shown = (await (
    await post('/oauth/device/code', { client_id, scope: 'traces:read' })
  ).json()) as Record<string, string>;
  const { device_code = '', user_code = '' } = shown;
  const poll = async () => {
    const answer = await post('/oauth/token', { client_id, grant_type: GRANT, device_code });
    return (await answer.json()) as Record<string, string>;
  };
  return { shown, user_code, poll };
}

/** Enters a code on the page, and confirms it or not. */
async function enter(user_code: string, choice: Record<string, string> = { confirm: 'yes' }) {
  const browser = createBrowser(server().url);
  const page = await (await browser.ask('/oauth/device')).text();
  const xsrf = /name="xsrf"[^>]*value="([^"]+)"/.exec(page)?.[1] ?? '';
  const submitted = await browser.visit('/oauth/device', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ xsrf, user_code, ...choice }).toString(),
  });
  return { browser, ...submitted };
}

test('when somebody enters a device’s code and consents, then the device is authorized', async () => {
  const { shown, user_code, poll } = await beginDevice();
  expect(shown).toMatchObject({
    verification_uri: `${server().url}/oauth/device`,
    user_code: expect.stringMatching(/^\w{4}-\w{4}$/),
  });
  expect(await poll()).toMatchObject({ error: 'authorization_pending' });
  const { browser, at } = await enter(user_code.toLowerCase());
  expect(at).toContain('/oauth/interaction/');
  const end = await decide(server(), {
    browser,
    at,
    outcome: { subject: server().subject, scopes: ['traces:read'] },
  });
  expect([end.answer.status, await end.answer.text()]).toEqual([200, expect.stringContaining('Editor')]);
  const tokens = await poll();
  expect(tokens).toMatchObject({ scope: 'traces:read', refresh_token: expect.any(String) });
  expect(await callerOf(server(), bearer(tokens['access_token'] ?? ''))).toMatchObject({
    workspace_id: WORKSPACE,
  });
  expect(await poll()).toMatchObject({ error: 'invalid_grant' });
});

test('when a code is entered, then it is confirmed first, and a wrong one is asked for again', async () => {
  const { user_code, poll } = await beginDevice();
  const asked = await enter(user_code, {});
  expect(await asked.answer.text()).toContain(user_code);
  const wrong = await enter('BCDF-GHJK', {});
  expect([wrong.answer.status, await wrong.answer.text()]).toEqual([
    200,
    expect.stringContaining('name="user_code"'),
  ]);
  await enter(user_code, { abort: 'yes' });
  expect(await poll()).toMatchObject({ error: 'access_denied' });
});

test('when somebody denies a device, then it is refused', async () => {
  const { user_code, poll } = await beginDevice();
  const { browser, at } = await enter(user_code);
  await decide(server(), { browser, at, outcome: 'denied' });
  expect(await poll()).toMatchObject({ error: 'access_denied' });
});

test('when a device asks too often, then it is told to slow down, and still gets its tokens', async () => {
  const { user_code, poll } = await beginDevice();
  const errors = [];
  for (let n = 0; n < 13; n += 1) errors.push((await poll())['error']);
  expect(errors).toEqual([...Array.from({ length: 12 }, () => 'authorization_pending'), 'slow_down']);
  const { browser, at } = await enter(user_code);
  const outcome = { subject: server().subject, scopes: ['traces:read'] } as const;
  await decide(server(), { browser, at, outcome });
  await server().admin.run(`update identity.attempts set ends_at = now()`);
  expect(await poll()).toMatchObject({ access_token: expect.any(String) });
});

test('when 50 codes were guessed one after the other, then the next guess is refused', async () => {
  const statuses = [];
  for (let n = 0; n < 51; n += 1)
    statuses.push(
      (
        await fetch(`${server().url}/oauth/device`, {
          method: 'POST',
          body: new URLSearchParams({ user_code: 'BCDF-GHJK' }),
          redirect: 'manual',
        })
      ).status,
    );
  expect(statuses).toEqual([...Array.from({ length: 50 }, () => 303), 429]);
});

test('when the page before a device’s form was not seen, then nothing is submitted or resumed', async () => {
  for (const answer of [
    await fetch(`${server().url}/oauth/device`, {
      method: 'POST',
      body: new URLSearchParams({ user_code: 'x' }),
      redirect: 'manual',
    }),
    await fetch(`${server().url}/oauth/device/nothing`, { redirect: 'manual' }),
  ])
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/oauth/device']);
});
