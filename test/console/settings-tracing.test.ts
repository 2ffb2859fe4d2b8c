import { createHash, randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookAt, platform, useConsole } from './support/console.ts';

/** Settings that change a whole workspace: the stories have one of their own. */

const { blankPage } = useConsole();

let workspace: { readonly id: string; readonly key: string };

/** Calls the API in the workspace of these stories. */
async function own<T = unknown>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  const answer = await fetch(platform.url + path, {
    method,
    headers: { 'x-api-key': workspace?.key ?? platform.key, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

beforeAll(async () => {
  workspace = await own('/v2/workspaces', { name: 'settings' });
});
afterAll(() => own(`/v2/workspaces/${workspace.id}?force=true`, undefined, 'DELETE'));

/** A page of somebody who is signed in to that workspace. */
async function signedIn(to: string): Promise<Page> {
  const page = await blankPage();
  const { url } = await own<{ url: string }>('/v2/sign-in-links', {});
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' });
  await page.goto(`${platform.url}/console/settings/${to}`);
  return page;
}

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** Presses a button of the open dialog, and waits until the dialog has done its work. */
async function submit(page: Page, name: string): Promise<void> {
  await dialog(page).getByRole('button', { name, exact: true }).click();
  const working = dialog(page).getByRole('button', { name: new RegExp(`^(${name}|One moment …)$`) });
  await working.waitFor({ state: 'detached' });
}
const menu = async (page: Page, of: string, item: string) => {
  await press(page, of);
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly string[];
  readonly enabled: boolean;
}
const webhooks = async () => (await own<{ items: readonly Webhook[] }>('/v2/webhooks')).items;

test('when a webhook is made, tested, changed and removed, then deliveries show what was sent', async () => {
  const page = await signedIn('webhooks');
  await page.getByRole('heading', { name: 'Nobody is told of events' }).waitFor();
  await press(page, 'New webhook');
  await dialog(page).getByLabel('Address', { exact: true }).fill('https://receiver.invalid/roadstead');
  await dialog(page)
    .getByRole('checkbox', { name: /^Revisions/ })
    .check();
  await submit(page, 'Make the webhook');
  const secret = await dialog(page).getByLabel('Secret', { exact: true }).textContent();
  expect(secret).toMatch(/^whsec_/);
  await submit(page, 'I have copied it');
  expect(await webhooks()).toMatchObject([{ kinds: ['revision'], enabled: true }]);

  await page.getByRole('link', { name: 'https://receiver.invalid/roadstead' }).click();
  await press(page, 'Send a test');
  await page.getByRole('row', { name: /webhook\.test/ }).click();
  await dialog(page).getByText('webhook_id').waitFor();
  await page.waitForURL(/delivery=/);
  await page.reload();
  await dialog(page).getByText('webhook_id').waitFor();
  await press(page, 'Close');
  await lookAt(page, 'settings-webhook');
  await menu(page, 'More actions', 'Change');
  await dialog(page)
    .getByRole('checkbox', { name: /^Deployments/ })
    .check();
  await submit(page, 'Save');
  expect((await webhooks())[0]?.kinds).toEqual(['revision', 'deployment']);
  await menu(page, 'More actions', 'New secret');
  await submit(page, 'Draw a new secret');
  expect(await dialog(page).getByLabel('Secret', { exact: true }).textContent()).not.toBe(secret);
  await submit(page, 'I have copied it');
  await press(page, 'Disable');
  await page.getByRole('button', { name: 'Enable', exact: true }).waitFor();
  expect((await webhooks())[0]?.enabled).toBe(false);
  await press(page, 'Enable');
  await page.getByRole('button', { name: 'Disable', exact: true }).waitFor();
  expect((await webhooks())[0]?.enabled).toBe(true);
  await menu(page, 'More actions', 'Remove');
  await submit(page, 'Remove');
  expect(await webhooks()).toEqual([]);
});

test('when something happens, then it appears among the events by itself', async () => {
  await own('/v2/webhooks', { url: 'https://first.invalid/' });
  const page = await signedIn('events');
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Kind of event' }).selectOption('webhook');
  await page.waitForURL(/kind=webhook/);
  await page.getByText('live', { exact: true }).waitFor();
  const rows = page.getByRole('row', { name: /webhook\.created/ });
  await rows.first().waitFor();
  const before = await rows.count();
  await own('/v2/webhooks', { url: 'https://second.invalid/' });
  await rows.nth(before).waitFor();
  expect(await rows.count()).toBe(before + 1);
  await lookAt(page, 'settings-events');
  await rows.first().click();
  const whole = dialog(page).getByText('The whole event').or(dialog(page).getByText('actor')).first();
  await whole.waitFor();
  await page.waitForURL(/event=/);
  await page.reload();
  await whole.waitFor();
});

interface Rule {
  readonly id: string;
  readonly is_enabled: boolean;
  readonly sampling_rate: number;
  readonly extend_only: boolean;
}
const rules = () => own<readonly Rule[]>('/runs/rules');

test('when a rule is made, then it acts on runs that end, and is changed, disabled and deleted', async () => {
  await own('/sessions', { name: 'ruled' });
  const page = await signedIn('rules');
  await press(page, 'New rule');
  await dialog(page).getByLabel('Name', { exact: true }).fill('keep all');
  await dialog(page).getByLabel('Runs of the project').selectOption({ label: 'ruled' });
  await dialog(page).getByLabel('Keep its trace long').check();
  await submit(page, 'Make the rule');
  expect(await rules()).toMatchObject([{ is_enabled: true, extend_only: true, sampling_rate: 1 }]);
  await page.getByRole('link', { name: 'keep all' }).click();
  const [id, now] = [crypto.randomUUID(), new Date().toISOString()];
  await own('/runs', {
    id,
    trace_id: id,
    dotted_order: `${now.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`,
    name: 'ruled run',
    run_type: 'chain',
    session_name: 'ruled',
    inputs: {},
    outputs: {},
    start_time: now,
    end_time: now,
  });
  await page.getByRole('link', { name: 'ruled run' }).waitFor({ timeout: 60_000 });
  await lookAt(page, 'settings-rule');
  await press(page, 'Change');
  await dialog(page).getByLabel('Share of the runs (%)').fill('50');
  await submit(page, 'Save');
  expect((await rules())[0]?.sampling_rate).toBe(0.5);
  await press(page, 'Disable');
  await page.getByRole('button', { name: 'Enable', exact: true }).waitFor();
  expect((await rules())[0]?.is_enabled).toBe(false);
  await press(page, 'Delete');
  await submit(page, 'Delete the rule');
  expect(await rules()).toEqual([]);
});

interface Price {
  readonly name: string;
  readonly prompt_cost: number;
}
const prices = () => own<readonly Price[]>('/model-price-map');

test('when a price is added, changed, applied and removed, then it is per million in the form', async () => {
  const page = await signedIn('prices');
  await press(page, 'New price');
  await dialog(page).getByLabel('Name', { exact: true }).fill('example-model');
  await dialog(page).getByLabel('Pattern of the model’s name').fill('^example-model');
  await dialog(page).getByLabel('Dollars per million tokens in').fill('2');
  await dialog(page).getByLabel('Dollars per million tokens out').fill('8');
  await submit(page, 'Add');
  expect(await prices()).toMatchObject([{ name: 'example-model', prompt_cost: 0.000002 }]);
  await page.getByText('$8', { exact: true }).waitFor();
  await lookAt(page, 'settings-prices');
  await menu(page, 'Actions of example-model', 'Change');
  await dialog(page).getByLabel('Dollars per million tokens in').fill('0.15');
  await submit(page, 'Save');
  expect((await prices())[0]?.prompt_cost).toBe(0.00000015);
  await press(page, 'Apply to stored runs');
  await submit(page, 'Price them');
  await page.getByText(/seen, .* changed\./).waitFor();
  await menu(page, 'Actions of example-model', 'Remove');
  await submit(page, 'Remove');
  expect(await prices()).toEqual([]);
});

test('when a limit is set and removed, then usage shows it beside the figures of the month', async () => {
  const page = await signedIn('usage');
  await press(page, 'Set: Traces a month');
  await dialog(page)
    .getByLabel(/^At most/)
    .fill('5000');
  await submit(page, 'Set the limit');
  expect(await own('/usage-limits')).toMatchObject([{ limit_type: 'monthly_traces', limit_value: 5000 }]);
  await page.getByText('5,000').waitFor();
  await lookAt(page, 'settings-usage');
  await press(page, 'Remove: Traces a month');
  await submit(page, 'Remove the limit');
  expect(await own('/usage-limits')).toEqual([]);
  await press(page, 'The month before');
  await page.waitForURL(/month=/);
  await page.getByText('No trace came in this month.').waitFor();
});

test('when the retention is set, then the workspace keeps traces so long', async () => {
  const page = await signedIn('retention');
  await page.getByLabel('Long is').selectOption('90');
  await lookAt(page, 'settings-retention');
  await press(page, 'Save');
  await submit(page, 'Change the retention');
  expect(await own('/ttl-settings')).toMatchObject([{ longlived_ttl_days: 90 }]);
});

test('when the workspace is renamed, and a secret is set, then the API answers the name alone', async () => {
  const page = await signedIn('workspace');
  await page.locator('#content').getByText('Annotation queues').waitFor();
  await press(page, 'Rename');
  await dialog(page).getByLabel('Name', { exact: true }).fill('harbour');
  await submit(page, 'Rename');
  expect(await own(`/v2/workspaces/${workspace.id}`)).toMatchObject({ name: 'harbour' });
  const handle = `harbour-${workspace.id.slice(0, 8)}`;
  await press(page, 'Change the handle');
  await dialog(page).getByLabel('Handle', { exact: true }).fill(handle);
  await submit(page, 'Change');
  expect(await own('/settings')).toMatchObject({ tenant_handle: handle });
  await press(page, 'Add a secret');
  await dialog(page).getByLabel('Name', { exact: true }).fill('OPENAI_API_KEY');
  await dialog(page).getByLabel('Value', { exact: true }).fill('sk-example');
  await submit(page, 'Add');
  expect(await own('/workspaces/current/secrets')).toEqual([{ key: 'OPENAI_API_KEY' }]);
  await lookAt(page, 'settings-workspace');
  await press(page, 'Replace OPENAI_API_KEY');
  await dialog(page).getByLabel('Value', { exact: true }).fill('sk-other');
  await submit(page, 'Replace');
  await press(page, 'Remove OPENAI_API_KEY');
  await submit(page, 'Remove');
  expect(await own('/workspaces/current/secrets')).toEqual([]);
});

test('when things are shared by link, then the links are listed, and stopped one by one or all', async () => {
  for (const name of ['one', 'two', 'three']) {
    const { id } = await own<{ id: string }>('/datasets', { name });
    await own(`/datasets/${id}/share`, {}, 'PUT');
  }
  const shared = async () =>
    (await own<{ entities: readonly unknown[] }>('/workspaces/current/shared')).entities.length;
  const page = await signedIn('shared');
  await press(page, 'Stop sharing one');
  await submit(page, 'Stop sharing');
  expect(await shared()).toBe(2);
  await lookAt(page, 'settings-shared');
  await press(page, 'Stop sharing all');
  await submit(page, 'Stop sharing');
  expect(await shared()).toBe(0);
});

test('when an application was authorized, then it is listed with what it may do, and revoked', async () => {
  const redirect_uri = 'http://127.0.0.1:61234/callback';
  const { client_id } = await own<{ client_id: string }>('/oauth/register', {
    client_name: 'Editor',
    redirect_uris: [redirect_uri],
  });
  const code_verifier = randomBytes(32).toString('base64url');
  const page = await signedIn('applications');
  await page.getByRole('heading', { name: 'No application is authorized' }).waitFor();
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    response_type: 'code',
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  await page.goto(`${platform.url}/oauth/authorize?${query.toString()}`);
  const back = page.waitForRequest((request) => request.url().startsWith(redirect_uri));
  await page.getByRole('button', { name: 'Authorize' }).click();
  const code = new URL((await back).url()).searchParams.get('code') ?? '';
  const token = await fetch(`${platform.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id,
      redirect_uri,
      code,
      code_verifier,
    }),
  });
  expect(token.status).toBe(200);
  const grants = async () => (await own<{ items: readonly unknown[] }>('/v2/grants')).items.length;
  expect(await grants()).toBe(1);
  // The first page is at the address of the application, where nothing answers.
  const later = await page.context().newPage();
  await later.goto(`${platform.url}/console/settings/applications`);
  await later.getByText('Editor', { exact: true }).waitFor();
  await lookAt(later, 'settings-applications');
  await press(later, 'Revoke Editor');
  await submit(later, 'Revoke');
  expect(await grants()).toBe(0);
});
