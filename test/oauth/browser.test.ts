import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { useFixture } from '@roadstead/testing';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openBrowser } from '@roadstead/testing/browser';
import { dataHome, startPlatform } from '../support/platform.ts';
import { askForTokens, authorization, register } from '@roadstead/testing/oauth';

/** What a person does with a real browser: sign in, allow, deny, connect a device, revoke; without JavaScript. */

const anna = { name: 'anna', password: 'eleven quiet herons' };
const opened = useFixture(openBrowser);
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
beforeAll(async () => {
  const file = join(home().path, 'password');
  await writeFile(file, anna.password);
  await platform().run('user', 'add', anna.name, '--scope', 'admin', '--password-file', file);
});
const client = useFixture(async () => {
  const server = createServer((_request, response) => response.end('The client has its answer.'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const redirect_uri = `http://localhost:${(server.address() as AddressInfo).port}/callback`;
  const { client_id } = await register(platform().url, {
    client_name: 'Claude Code (roadstead)',
    redirect_uris: [redirect_uri],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    software_version: 'unknown to us',
  });
  // The browser's connections to it may still be open.
  return {
    registration: { redirect_uri, client_id },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
});
beforeEach(({ skip }) => skip(opened() === undefined, 'no browser starts here'));

async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await opened()?.browser.newContext({ javaScriptEnabled: false, ...options });
  if (context === undefined) throw new Error('There is no browser.');
  return context.newPage();
}

const begin = () => authorization(platform().url, client().registration);

async function signInByName(page: Page, password = anna.password): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(anna.name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signInByKey(page: Page): Promise<void> {
  await page.getByLabel('API key').fill(platform().key);
  await page.getByRole('button', { name: 'Sign in with the key' }).click();
}

async function callTool(token: string, name: string) {
  const answer = await fetch(`${platform().url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  });
  return { status: answer.status, text: await answer.text() };
}

test('when somebody signs in by key and authorizes an application, then it calls a tool', async () => {
  const page = await newPage();
  const { address, verifier, state } = begin();
  await page.goto(address);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
  await signInByKey(page);
  expect(await page.getByRole('main').textContent()).toContain('localhost:');
  expect(await page.getByLabel('Read traces').isChecked()).toBe(true);
  for (const writes of ['Change prompts', 'Change datasets', 'Send messages to agents'])
    expect([writes, await page.getByLabel(writes).isChecked()]).toEqual([writes, false]);
  await page.getByLabel('Change prompts').check();
  await page.getByRole('button', { name: 'Authorize' }).click();
  expect(await page.textContent('body')).toBe('The client has its answer.');
  const called = new URL(page.url()).searchParams;
  expect([called.get('state'), called.get('iss')]).toEqual([state, platform().url]);
  const { status, body } = await askForTokens(platform().url, {
    grant_type: 'authorization_code',
    ...client().registration,
    code: called.get('code') ?? '',
    code_verifier: verifier,
  });
  expect([status, body.scope.includes('prompts:write'), body.scope.includes('agents:invoke')]).toEqual([
    200,
    true,
    false,
  ]);
  const answer = await callTool(body.access_token, 'list_projects');
  expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('projects') });
});

test('when somebody denies, then the application goes away with nothing', async () => {
  const page = await newPage();
  await page.goto(begin().address);
  await signInByName(page);
  await page.getByRole('button', { name: 'Deny' }).click();
  expect(await page.textContent('body')).toBe('The client has its answer.');
  const called = new URL(page.url()).searchParams;
  expect([called.get('error'), called.get('code')]).toEqual(['access_denied', null]);
});

test('when nothing is ticked, then nothing is authorized, and the page says so aloud', async () => {
  const page = await newPage();
  await page.goto(begin().address);
  await signInByName(page);
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
  await page.getByRole('button', { name: 'Authorize' }).click();
  expect(await page.getByRole('alert').textContent()).toContain('Nothing is ticked');
});

test('when ten passwords were wrong, then one has to wait, but not in a browser that is known', async () => {
  const known = await newPage();
  await known.goto(`${platform().url}/oauth/applications`);
  await signInByName(known);
  await known.getByRole('button', { name: 'Sign in as somebody else' }).click();
  const page = await newPage();
  await page.goto(`${platform().url}/oauth/applications`);
  const said: (string | null)[] = [];
  for (let n = 0; n < 11; n += 1) {
    await signInByName(page, 'not her password');
    said.push(await page.getByRole('alert').textContent());
    expect(await page.getByLabel('Password').inputValue()).toBe('');
  }
  expect(said.slice(0, 10)).toEqual(
    said.slice(0, 10).map(() => 'There is no user of this name and password.'),
  );
  expect(said[10]).toMatch(/^There were too many attempts to sign in. Wait 1[45] minutes/);
  await signInByName(page);
  expect(await page.getByRole('alert').textContent()).toContain('too many attempts');
  await signInByName(known);
  expect(await known.getByRole('heading', { level: 1 }).textContent()).toBe('Authorized applications');
});

test('when a device’s code is confirmed, then it gets its tokens, and loses them once revoked', async () => {
  const device = await register(platform().url, {
    client_name: 'Terminal tool',
    redirect_uris: [],
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    response_types: [],
  });
  const started = await fetch(`${platform().url}/oauth/device/code`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: device.client_id }),
  });
  const code = (await started.json()) as Record<'device_code' | 'user_code' | 'verification_uri', string>;
  const poll = () =>
    askForTokens(platform().url, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: device.client_id,
      device_code: code.device_code,
    });
  expect((await poll()).body.error).toBe('authorization_pending');
  const page = await newPage();
  await page.goto(code.verification_uri);
  await page.getByLabel('Code', { exact: true }).fill('WRNG-CODE');
  await page.getByRole('button', { name: 'Continue' }).click();
  expect(await page.getByRole('alert').textContent()).toContain('No device waits with this code');
  await page.getByLabel('Code', { exact: true }).fill(code.user_code.toLowerCase());
  await page.getByRole('button', { name: 'Continue' }).click();
  expect(await page.getByRole('main').textContent()).toContain('Terminal tool');
  await page.getByRole('button', { name: 'It shows this code' }).click();
  await signInByKey(page);
  await page.getByRole('button', { name: 'Authorize' }).click();
  expect(await page.getByRole('main').textContent()).toContain('is authorized now');
  const { status, body } = await poll();
  expect(status).toBe(200);
  expect((await callTool(body.access_token, 'list_projects')).status).toBe(200);

  await page.goto(`${platform().url}/oauth/applications`);
  await page.getByRole('button', { name: 'Revoke Terminal tool' }).click();
  expect(await page.getByRole('button', { name: 'Revoke Terminal tool' }).count()).toBe(0);
  expect((await callTool(body.access_token, 'list_projects')).status).toBe(401);
});

test.each([
  ['a phone, dark', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' as const }],
  ['a desk, light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' as const }],
])(
  'when the pages are opened on %s, then they fit and break no policy of their own',
  async (_name, options) => {
    const page = await newPage(options);
    const errors: string[] = [];
    page.on('console', (message) => errors.push(message.text()));
    const look = async () => {
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
      for (const box of await page.getByRole('textbox').all())
        expect((await box.boundingBox())?.width).toBeLessThanOrEqual(options.viewport.width);
      const main = await page.getByRole('main').boundingBox();
      expect(main?.x).toBeGreaterThanOrEqual(0);
      expect((main?.x ?? 0) + (main?.width ?? 0)).toBeLessThanOrEqual(options.viewport.width);
    };
    await page.goto(begin().address);
    await look();
    await page.keyboard.type('nobody');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('nobody');
    await signInByKey(page);
    await look();
    await page.goto(`${platform().url}/oauth/device`);
    await look();
    await page.goto(`${platform().url}/oauth/interaction/unknown`);
    await look();
    expect(await page.getByRole('main').textContent()).toContain('start again');
    expect(errors.filter((text) => /security policy|violates/i.test(text))).toEqual([]);
  },
);
