import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, lookAt, platform, useConsole } from './support/console.ts';

/** Settings: each button is pressed as a person does, and what it did is read back by the API. */

const { signedIn } = useConsole();

/** A name that no other story uses. */
const named = (what: string) => `${what}-${randomUUID().slice(0, 8)}`;

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
/** Presses a button of the open dialog, and waits until the dialog has done its work. */
async function submit(page: Page, name: string): Promise<void> {
  await dialog(page).getByRole('button', { name, exact: true }).click();
  const working = dialog(page).getByRole('button', { name: new RegExp(`^(${name}|One moment …)$`) });
  await working.waitFor({ state: 'detached' });
}
/** Chooses from the menu of a row. */
async function choose(page: Page, { of, item }: { readonly of: string; readonly item: string }) {
  await press(page, `Actions of ${of}`);
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true }).click();

interface ListAnswer<T> {
  readonly items: readonly T[];
}

interface Key {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}
const findKey = async (name: string) =>
  (await api<ListAnswer<Key>>('/v2/api-keys?page_size=100')).items.find((key) => key.name === name);

test('when a key is made, renamed and revoked, then it is shown once and does what was chosen', async () => {
  const [name, later] = [named('ci'), named('ci-later')];
  const page = await signedIn('/console/settings');
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  await lookAt(page, 'settings-keys');
  await press(page, 'New key');
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page)
    .getByRole('radio', { name: /^Deploy/ })
    .check();
  await dialog(page)
    .getByRole('radio', { name: /^Chosen one by one/ })
    .check();
  await dialog(page)
    .getByRole('checkbox', { name: /^usage:read/ })
    .check();
  await dialog(page).getByLabel('Ends', { exact: true }).selectOption('30');
  await lookAt(page, 'settings-new-key');
  await submit(page, 'Make the key');
  const secret = await dialog(page).getByLabel('Key', { exact: true }).textContent();
  await dialog(page).getByLabel('The command line', { exact: true }).waitFor();
  await submit(page, 'I have copied it');
  const made = await findKey(name);
  expect(made?.scopes.toSorted()).toEqual(['deployments:read', 'deployments:write', 'usage:read']);
  expect(Date.parse(made?.expires_at ?? '') - Date.now()).toBeGreaterThan(29 * 86_400_000);
  const headers = { 'x-api-key': secret ?? '' };
  expect((await fetch(`${platform.url}/usage-limits`, { headers })).status).toBe(200);

  await choose(page, { of: name, item: 'Rename' });
  await dialog(page).getByLabel('Name').fill(later);
  await submit(page, 'Rename');
  expect((await findKey(later))?.id).toBe(made?.id);
  await choose(page, { of: later, item: 'Revoke' });
  await submit(page, 'Revoke the key');
  expect(await findKey(later)).toBeUndefined();
  await page.getByRole('combobox', { name: 'Keys of' }).selectOption({ label: 'support-agent' });
  await page.waitForURL(/deployment=/);
  await page.getByText('deployment support-agent').waitFor();
});

interface User {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly password_changed_at: string;
}
const findUser = async (name: string) => (await api<ListAnswer<User>>(`/v2/users?name=${name}`)).items[0];

test('when a person is added, changed and removed, then they may do what was chosen', async () => {
  const name = named('anna');
  const page = await signedIn('/console/settings/people');
  await press(page, 'Add a person');
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByLabel('Password').fill('eleven quiet herons');
  await submit(page, 'Add');
  const added = await findUser(name);
  expect(added?.scopes).toEqual(['reader']);
  await page.getByText('Viewer').first().waitFor();
  await lookAt(page, 'settings-people');

  await choose(page, { of: name, item: 'Change' });
  await dialog(page).getByLabel('New password').fill('twelve loud herons');
  await dialog(page)
    .getByRole('radio', { name: /^Member/ })
    .check();
  await submit(page, 'Save');
  const changed = await findUser(name);
  expect(changed?.scopes).toContain('deployments:write');
  expect(changed?.password_changed_at).not.toBe(added?.password_changed_at);
  await choose(page, { of: name, item: 'Remove' });
  await submit(page, 'Remove');
  expect(await findUser(name)).toBeUndefined();

  await press(page, 'Sign-in link');
  const address = await dialog(page).getByLabel('Address', { exact: true }).textContent();
  expect(address).toContain('/oauth/sign-in/');
});

test('when somebody may only read, then no button is there that would answer 403', async () => {
  const name = named('reader');
  const { id } = await api<{ id: string }>('/v2/users', {
    method: 'POST',
    body: { name, password: 'eleven quiet herons', scopes: ['reader'] },
  });
  const page = await signedIn();
  await page.context().clearCookies();
  await page.goto(`${platform.url}/console/settings`);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password', { exact: true }).fill('eleven quiet herons');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Menu' }).waitFor();
  await page.goto(`${platform.url}/console/settings`);
  await page.getByRole('heading', { name: 'Shared links', level: 1 }).waitFor();
  await goTo(page, 'Webhooks');
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  expect(await page.getByRole('button', { name: 'New webhook' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  await api(`/v2/users/${id}`, { method: 'DELETE' });
});

interface Listener {
  readonly id: string;
  readonly compute_id: string;
}
const findListener = async (name: string) =>
  (await api<{ resources: readonly Listener[] }>('/v2/listeners?limit=100')).resources.find(
    ({ compute_id }) => compute_id === name,
  );

test('when a listener is registered, then its key is shown once, and it can be removed', async () => {
  const name = named('berlin');
  const page = await signedIn('/console/settings/listeners');
  await page.getByText('present').first().waitFor();
  await page.getByRole('link', { name: 'support-agent' }).waitFor();
  await lookAt(page, 'settings-listeners');
  await press(page, 'Add a listener');
  await dialog(page).getByLabel('Name', { exact: true }).fill(name);
  const line = dialog(page).getByLabel('Join a cluster', { exact: true });
  expect(await line.textContent()).toContain(`roadstead listener join ${name}`);
  await submit(page, 'Register here');
  const first = await dialog(page).getByLabel('Key', { exact: true }).textContent();
  await submit(page, 'I have copied it');
  expect(await findListener(name)).toMatchObject({ compute_type: 'cluster' });
  await page.getByText('never seen').first().waitFor();
  await choose(page, { of: name, item: 'New key' });
  await submit(page, 'Draw a new key');
  expect(await dialog(page).getByLabel('Key', { exact: true }).textContent()).not.toBe(first);
  await submit(page, 'I have copied it');
  await choose(page, { of: name, item: 'Remove' });
  await submit(page, 'Remove');
  expect(await findListener(name)).toBeUndefined();
});

interface Integration {
  readonly id: string;
  readonly name: string;
  readonly credential: { readonly kind: string; readonly fingerprint: string } | null;
}
const findIntegration = async (name: string) =>
  (await api<ListAnswer<Integration>>('/v2/integrations?page_size=100')).items.find(
    (one) => one.name === name,
  );

test('when an integration is made, changed and removed, then its secrets are only written', async () => {
  const [name, later] = [named('acme'), named('acme-later')];
  const page = await signedIn('/console/settings/integrations');
  await press(page, 'Add an integration');
  await dialog(page).getByLabel('Kind of host').selectOption('generic');
  await dialog(page).getByLabel('Name', { exact: true }).fill(name);
  await dialog(page).getByLabel('Host', { exact: true }).fill('git.example.com');
  await dialog(page).getByLabel('Fetches by').selectOption('ssh_key');
  await submit(page, 'Add');
  const key = await dialog(page).getByLabel('Public key', { exact: true }).textContent();
  expect(key).toMatch(/^ssh-/);
  await submit(page, 'I have copied it');
  expect((await findIntegration(name))?.credential?.kind).toBe('ssh_key');
  await lookAt(page, 'settings-integrations');

  await choose(page, { of: name, item: 'Rename' });
  await dialog(page).getByLabel('Name').fill(later);
  await submit(page, 'Rename');
  await choose(page, { of: later, item: 'Replace the credential' });
  await dialog(page).getByLabel('Token').fill('token_of_example');
  await submit(page, 'Replace');
  expect((await findIntegration(later))?.credential?.kind).toBe('token');
  await choose(page, { of: later, item: 'New webhook secret' });
  await submit(page, 'Draw a new secret');
  expect(await dialog(page).getByLabel('Secret of the webhook', { exact: true }).textContent()).not.toBe('');
  await submit(page, 'I have copied it');
  await choose(page, { of: later, item: 'Test' });
  await dialog(page).getByText('A generic integration has no').waitFor();
  await page.keyboard.press('Escape');
  await choose(page, { of: later, item: 'Remove' });
  await submit(page, 'Remove');
  expect(await findIntegration(later)).toBeUndefined();
});
