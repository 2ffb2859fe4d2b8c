import { randomUUID } from 'node:crypto';
import { CONSOLE_CLIENT } from '@roadstead/contracts/identity';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, platform, useConsole } from './support/console.ts';

/** Who is signed in while they work: tokens that end, signing out here and elsewhere, and dialogs that give the focus back. */

const { signedIn } = useConsole();

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

/** What has the focus, as a reader of the screen would say it. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()`,
  );
const isFocusInDialog = (page: Page) =>
  page.evaluate<boolean>(`document.activeElement.closest('[role=dialog]') !== null`);

/** A dialog, how it is opened and what has the focus before. */
interface DialogCase {
  readonly path: string;
  readonly opener: string;
  /** The entry of the menu that the opener opens. */
  readonly entry?: string;
  readonly title: string;
}

const dialogs: readonly DialogCase[] = [
  { path: '/settings/webhooks', opener: 'New webhook', title: 'New webhook' },
  { path: '/projects', opener: 'New project', title: 'New project' },
  { path: '/projects', opener: 'Account', entry: 'Sign out everywhere …', title: 'Sign out everywhere' },
  {
    path: '/projects?name=support-agent',
    opener: 'Actions of support-agent',
    entry: 'Rename',
    title: 'Rename support-agent',
  },
];

test.each(dialogs)(
  'when $opener on $path opens a dialog, then it holds the focus, and Escape gives it back',
  async ({ path, opener, entry, title }) => {
    const page = await signedIn(`/console${path}`);
    await button(page, opener).focus();
    await page.keyboard.press('Enter');
    if (entry !== undefined) {
      await item(page, entry).focus();
      await page.keyboard.press('Enter');
    }
    await page.getByRole('dialog', { name: title }).waitFor();
    await expect.poll(() => isFocusInDialog(page)).toBe(true);
    for (const key of [...Array.from({ length: 8 }, () => 'Tab'), 'Shift+Tab']) {
      await page.keyboard.press(key);
      // What stands before and after a dialog hands the focus on.
      await expect.poll(() => isFocusInDialog(page)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe(opener);
  },
);

/** Counts the tokens that a page is given. */
function countTokens(page: Page): () => number {
  let count = 0;
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === '/oauth/token' && response.ok()) count += 1;
  });
  return () => count;
}

/** A form that is half filled in, with a name that no other story uses. */
async function halfFilledIn(page: Page): Promise<string> {
  const name = `typed-${randomUUID().slice(0, 8)}`;
  await button(page, 'New dataset').click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Description').fill('Typed before the token ended');
  return name;
}

async function sendForm(page: Page, name: string): Promise<void> {
  await inDialog(page, 'Make it').click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  const [made] = await api<{ id: string; description: string }[]>(`/datasets?name=${name}`);
  expect(made?.description).toBe('Typed before the token ended');
  await api(`/datasets/${made?.id ?? ''}`, { method: 'DELETE' });
}

test('when a token ends while somebody types, then another comes, and nothing typed is lost', async () => {
  const page = await signedIn('/console/datasets');
  await page.clock.install();
  const tokens = countTokens(page);
  const name = await halfFilledIn(page);
  await page.clock.fastForward('02:00:00');
  await sendForm(page, name);
  expect(tokens()).toBe(1);
});

test('when no token can be asked for, then the page stays, and what was typed is sent later', async () => {
  const page = await signedIn('/console/datasets');
  await page.clock.install();
  const name = await halfFilledIn(page);
  let isBusy = true;
  await page.route('**/oauth/authorize?**', (route) =>
    isBusy ? route.fulfill({ status: 429, body: 'Too many ask.' }) : route.fallback(),
  );
  await page.clock.fastForward('02:00:00');
  await inDialog(page, 'Make it').click();
  await page
    .getByRole('dialog')
    .getByText(/the server answered 429/)
    .waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/datasets');
  isBusy = false;
  await sendForm(page, name);
});

test('when a page is plain http of another machine, then it says that https is needed', async () => {
  const page = await signedIn();
  await page.addInitScript(`Object.defineProperty(crypto, 'subtle', { value: undefined });`);
  await page.goto(`${platform.url}/console/projects`);
  await page.getByRole('heading', { name: 'Signing in needs https' }).waitFor();
  expect(await page.getByRole('navigation', { name: 'Menu' }).count()).toBe(0);
});

test('when a token is refused while somebody types, then another comes, and no word is lost', async () => {
  const page = await signedIn('/console/datasets');
  const bearers = new Set<string>();
  page.on('request', (request) => {
    const [, bearer] = /^Bearer (.+)$/.exec(request.headers()['authorization'] ?? '') ?? [];
    if (bearer !== undefined) bearers.add(bearer);
  });
  await page.reload();
  const name = await halfFilledIn(page);
  await expect.poll(() => bearers.size).toBe(1);
  for (const token of bearers) {
    const body = new URLSearchParams({ client_id: CONSOLE_CLIENT, token });
    expect((await fetch(`${platform.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200);
    // It is refused within 30 s.
    const headers = { authorization: `Bearer ${token}` };
    await expect
      .poll(async () => (await fetch(`${platform.url}/v2/caller`, { headers })).status, { timeout: 45_000 })
      .toBe(401);
  }
  await sendForm(page, name);
});

const signOut = async (page: Page, entry: string) => {
  await button(page, 'Account').click();
  await item(page, entry).click();
};
/** Whether the page asks who somebody is. */
const asksWho = (page: Page) => page.getByLabel('API key').isVisible();

test('when somebody signs out in one tab, then the other asks who they are at the next step', async () => {
  const here = await signedIn('/console/datasets');
  const there = await here.context().newPage();
  await there.goto(`${platform.url}/console`);
  await signOut(there, 'Sign out');
  await expect.poll(() => asksWho(there)).toBe(true);
  await here.getByRole('link', { name: 'Alerts' }).click();
  await expect.poll(() => asksWho(here)).toBe(true);
});

/** Somebody of their own: who signs out everywhere ends no other story. */
async function ownKey(): Promise<string> {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const body = { name: `session ${randomUUID().slice(0, 8)}`, scopes: ['admin'], expires_at };
  return (await api<{ key: string }>('/v2/api-keys', { method: 'POST', body })).key;
}

test('when somebody signs out everywhere, then another browser asks who they are', async () => {
  const key = await ownKey();
  const here = await signedIn('/console/datasets', { key });
  const there = await signedIn('/console/datasets', { key });
  await signOut(there, 'Sign out everywhere …');
  await inDialog(there, 'Sign out everywhere').click();
  await expect.poll(() => asksWho(there)).toBe(true);
  await here.getByRole('link', { name: 'Alerts' }).click();
  await expect.poll(() => asksWho(here)).toBe(true);
});

test('when signing out fails, then the page says that one is signed in still', async () => {
  const page = await signedIn('/console/datasets', { key: await ownKey() });
  await page.context().setOffline(true);
  await signOut(page, 'Sign out');
  const still = /You are still signed in: the server cannot be reached\. Try again\./;
  await page.getByText(still).waitFor();
  await signOut(page, 'Sign out everywhere …');
  await inDialog(page, 'Sign out everywhere').click();
  await page.getByRole('dialog').getByRole('alert').getByText(still).waitFor();
  await page.context().setOffline(false);
  await inDialog(page, 'Sign out everywhere').click();
  await expect.poll(() => asksWho(page)).toBe(true);
});
