import { createHash, randomBytes } from 'node:crypto';
import { useFixture, useFixturePerTest } from '@roadstead/testing';
import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { openBrowser } from '@roadstead/testing/browser';
import { askForTokens } from '@roadstead/testing/oauth';
import { dataHome, startPlatform } from '../support/platform.ts';

/** How the console signs in, by what its page does in a real browser. */

/** One for each test: the bundled browser is a single process, whose pages may send the cookies of another context. */
const opened = useFixturePerTest(openBrowser);
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
beforeEach(({ skip }) => skip(opened() === undefined, 'no browser starts here'));

async function newPage(): Promise<Page> {
  const context = await opened()?.browser.newContext();
  if (context === undefined) throw new Error('There is no browser.');
  return context.newPage();
}

const linkOf = async () => (await platform().run('open', '--print')).stdout.trim();
const redirectUri = () => `${platform().url}/console/callback`;
const verifier = randomBytes(32).toString('base64url');
function authorization(more: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    client_id: 'roadstead-console',
    response_type: 'code',
    redirect_uri: redirectUri(),
    state: 'a-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });
  return `/oauth/authorize?${query.toString()}`;
}

/** Asks as a page does that is open: without leaving it. */
async function askSilently(page: Page): Promise<URLSearchParams> {
  const url = await page.evaluate(
    async (address) => (await fetch(address)).url,
    authorization({ prompt: 'none' }),
  );
  expect(new URL(url).pathname).toBe('/console/callback');
  return new URL(url).searchParams;
}

async function tokenFor(code: string): Promise<string> {
  const { body } = await askForTokens(platform().url, {
    grant_type: 'authorization_code',
    client_id: 'roadstead-console',
    redirect_uri: redirectUri(),
    code,
    code_verifier: verifier,
  });
  return body.access_token;
}

const call = (path: string, token: string) =>
  fetch(platform().url + path, { headers: { authorization: `Bearer ${token}` } });

test('when the printed address is opened, then pages get tokens in silence, until the sign-out', async () => {
  const page = await newPage();
  await page.goto(await linkOf());
  expect(new URL(page.url()).pathname).toMatch(/^\/console\/?$/);
  await page.goto(`${platform().url}/ok`);
  const token = await tokenFor((await askSilently(page)).get('code') ?? '');
  const caller = (await (await call('/v2/caller', token)).json()) as Record<string, unknown>;
  expect(caller).toMatchObject({ scopes: ['admin'], actor: expect.stringMatching(/^key:/) });
  for (const path of ['/v2/deployments', '/api/sessions?limit=1', '/v2/api-keys', '/v2/users'])
    expect([path, (await call(path, token)).status]).toEqual([path, 200]);
  expect([
    (await call('/agents/none/info', token)).status,
    (await call('/agents/none/info', '')).status,
  ]).toEqual([404, 401]);
  const status = await page.evaluate(async () => (await fetch('/oauth/sign-out', { method: 'POST' })).status);
  expect([status, (await call('/v2/caller', token)).status]).toEqual([204, 401]);
  expect((await askSilently(page)).get('error')).toBe('login_required');
});

test('when nobody is signed in, then the console leads to the page where one signs in, and back', async () => {
  const page = await newPage();
  await page.goto(platform().url + authorization());
  await page.getByLabel('API key').fill(platform().key);
  await page.getByRole('button', { name: 'Sign in with the key' }).click();
  await page.waitForURL(/\/console\/callback\?/);
  const called = new URL(page.url()).searchParams;
  expect([called.get('state'), called.get('iss')]).toEqual(['a-state', platform().url]);
  expect((await call('/v2/caller', await tokenFor(called.get('code') ?? ''))).status).toBe(200);
});

test('when a page elsewhere leads to an address that signs in, then the browser asks first', async () => {
  const page = await newPage();
  // The other name of this machine is another site.
  await page.goto(`${platform().url.replace('127.0.0.1', 'localhost')}/ok`);
  const link = await linkOf();
  await page.setContent(`<a href="${link}">a link of somebody else</a>`);
  await page.getByRole('link').click();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toMatch(/^Sign in as API key .+\?$/);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console\/?$/);
});

test('when a page elsewhere posts a sign-out, then nobody is signed out', async () => {
  const page = await newPage();
  await page.goto(await linkOf());
  await page.goto(`${platform().url.replace('127.0.0.1', 'localhost')}/ok`);
  await page.evaluate(
    async (address) =>
      void (await fetch(address, { method: 'POST', mode: 'no-cors', credentials: 'include' })),
    `${platform().url}/oauth/sign-out`,
  );
  await page.goto(`${platform().url}/ok`);
  expect((await askSilently(page)).get('code')).toEqual(expect.any(String));
});
