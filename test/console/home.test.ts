import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { api, CONSOLE_ASSETS, lookAt, platform, useConsole } from './support/console.ts';

const { signedIn, blankPage } = useConsole();

test('when somebody opens the address that start prints, then they see their agents', async () => {
  const page = await signedIn();
  await page.getByRole('link', { name: 'support-agent', exact: true }).waitFor();
  const state = page.getByText(/^(serving|idle)$/);
  await state.first().waitFor();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Home');
  await lookAt(page, 'home');
});

test('when the page is loaded anew, then nobody signs in again', async () => {
  const page = await signedIn();
  await page.reload();
  await page.getByRole('link', { name: 'support-agent', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console');
});

test('when nobody is signed in, then the sign-in page leads to the view that was asked for', async () => {
  const page = await blankPage();
  await page.goto(`${platform.url}/console/deployments`);
  await page.getByLabel('API key').fill(platform.key);
  await page.getByRole('button', { name: 'Sign in with the key' }).click();
  await page.getByRole('navigation', { name: 'Menu' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/deployments');
});

test('when Ctrl K is pressed and a name typed, then Enter goes there', async () => {
  const page = await signedIn();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Name or id' }).fill('support-agent');
  await page.getByRole('option', { name: /support-agent.*deployment/ }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toMatch(/\/console\/(deployments|projects)\/[0-9a-f-]{36}/);
});

test('when an id or a name of anything is given to Ctrl K, then it is found', async () => {
  const name = `palette ${Math.random().toString(36).slice(2, 8)}`;
  const post = (path: string, body: unknown) => api<{ id: string }>(path, { method: 'POST', body });
  const { thread_id } = await api<{ thread_id: string }>('/agents/support-agent/threads', {
    method: 'POST',
    body: {},
  });
  const { id: alert } = await post('/v2/alerts', {
    name: `${name} alert`,
    metric: 'error_rate',
    window_s: 900,
    comparison: 'above',
    threshold: 0.5,
  });
  await post('/api/v1/annotation-queues', { name: `${name} queue` });
  await post('/v2/api-keys', { name: `${name} key`, scopes: ['traces:read'] });
  const page = await signedIn();
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Name or id' });
  await box.fill(name);
  for (const kind of ['alert', 'queue', 'key'])
    await page.getByRole('option', { name: `${name} ${kind} ${kind}` }).waitFor();
  await box.fill(alert);
  await page.getByRole('option', { name: `${name} alert alert` }).waitFor();
  await box.fill(thread_id);
  await page.getByRole('option', { name: 'support-agent thread' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain(`/console/talk/support-agent?thread=${thread_id}`);
});

test('when an agent does not answer, then a thread of another is found all the same', async () => {
  const { thread_id } = await api<{ thread_id: string }>('/agents/support-agent/threads', {
    method: 'POST',
    body: {},
  });
  const page = await signedIn();
  await page.route('**/v2/deployments?limit=*', async (route) => {
    const response = await route.fetch();
    const body: { resources: { id: string; url: string | null }[] } = await response.json();
    const own = body.resources.find(({ url }) => url?.endsWith('/agents/support-agent'));
    const silent = { ...own, id: randomUUID(), url: `${own?.url}-silent` };
    await route.fulfill({ response, json: { ...body, resources: [silent, ...body.resources] } });
  });
  const asked = Promise.withResolvers<void>();
  await page.route(`**/agents/support-agent-silent/threads/${thread_id}`, () => asked.resolve());
  await page.reload();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Name or id' }).fill(thread_id);
  await page.getByRole('option', { name: 'support-agent thread' }).waitFor();
  await expect(asked.promise).resolves.toBeUndefined();
});

test('when somebody may see traces alone, then home has the last day and how to connect', async () => {
  const body = { name: `traces ${randomUUID().slice(0, 8)}`, scopes: ['traces:read', 'workspaces:read'] };
  const { key } = await api<{ key: string }>('/v2/api-keys', { method: 'POST', body });
  const page = await signedIn('/console', { key });
  await page.getByRole('heading', { name: 'Last day' }).waitFor();
  await page.getByLabel('An MCP client', { exact: true }).waitFor();
  expect(await page.getByRole('main').getByRole('heading', { name: 'Agents' }).count()).toBe(0);
  expect(await page.getByText('You may not see this').count()).toBe(0);
});

test('when a key is made for an A2A client, then its line has the agent and the key', async () => {
  const page = await signedIn();
  await page.getByRole('link', { name: 'Make a key for an A2A client' }).click();
  await page.getByLabel('Name', { exact: true }).fill(`a2a ${randomUUID().slice(0, 8)}`);
  await page.getByRole('button', { name: 'Make the key' }).click();
  const line = page.getByRole('dialog').getByLabel('Agents with an A2A client', { exact: true });
  expect(await line.textContent()).toMatch(/\/agents\/[a-z0-9-]+\/\.well-known\S+ -H "X-Api-Key: rs_\S+"$/);
  expect(await page.getByRole('dialog').getByText('/agents/NAME').count()).toBe(0);
});

test('when what is shown can be refreshed no more, then home says since when, until it can', async () => {
  const page = await signedIn();
  await page.getByRole('link', { name: 'support-agent', exact: true }).waitFor();
  let isFull = true;
  await page.route('**/v2/deployments?limit=*', (route) =>
    isFull ? route.fulfill({ status: 400, json: { detail: 'The disk is full.' } }) : route.fallback(),
  );
  const bar = page.getByRole('alert').filter({ hasText: /last refreshed at .*: The disk is full\./ });
  await bar.waitFor();
  expect(await page.getByRole('link', { name: 'support-agent', exact: true }).count()).toBe(1);
  isFull = false;
  await bar.waitFor({ state: 'detached' });
});

test('when there are very many agents, then home shows those that count, and leads to the rest', async () => {
  const page = await signedIn();
  const { resources } = await api<{ resources: object[] }>('/v2/deployments?name=support-agent');
  const many = Array.from({ length: 250 }, (_, number) => ({
    ...resources[0],
    id: randomUUID(),
    name: `agent-${number}`,
    url: null,
    status: 'READY',
    status_reason: number === 249 ? 'It ran out of memory.' : null,
    updated_at: new Date(Date.UTC(2026, 0, 1) - number * 60_000).toISOString(),
  }));
  await page.route('**/v2/deployments?limit=*', (route) => {
    const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
    return route.fulfill({ json: { resources: many.slice(offset, offset + 100), offset } });
  });
  await page.reload();
  const agents = page.getByRole('list', { name: 'Agents' }).getByRole('listitem');
  await agents.first().getByRole('link', { name: 'agent-249' }).waitFor();
  await agents.nth(1).getByRole('link', { name: 'agent-0', exact: true }).waitFor();
  expect(await agents.count()).toBe(30);
  await page.getByText('30 of 250 are here.').waitFor();
  await page.getByText('The 50 agents that changed last are asked here').waitFor();
  await page.getByRole('link', { name: '1 in trouble' }).click();
  await page.getByRole('grid', { name: 'Deployments' }).getByRole('link', { name: 'agent-249' }).waitFor();
  expect(new URL(page.url()).searchParams.get('state')).toBe('trouble');
});

test('when somebody signs out, then the page of the console asks who they are', async () => {
  const page = await signedIn();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByLabel('API key').waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/oauth\//);
});

test('when programs ask for the root or a path of the console, then they get what they got', async () => {
  const root = await fetch(platform.url, { headers: { accept: 'application/json' } });
  expect(root.status).toBe(404);
  const leads = await fetch(platform.url, { headers: { accept: 'text/html' }, redirect: 'manual' });
  expect([leads.status, leads.headers.get('location')]).toEqual([302, '/console']);
});

test('when the first view is opened, then its scripts weigh at most 180 kB', async () => {
  const page = await blankPage();
  const scripts = new Map<string, number>();
  page.on('response', (response) => {
    if (!/\/console\/assets\/.*\.js$/.test(response.url())) return;
    const name = new URL(response.url()).pathname.split('/').at(-1) ?? '';
    scripts.set(name, statSync(join(CONSOLE_ASSETS, `${name}.br`), { throwIfNoEntry: false })?.size ?? 0);
  });
  await page.goto(`${platform.url}/console`);
  await page.getByLabel('API key').fill(platform.key);
  await page.getByRole('button', { name: 'Sign in with the key' }).click();
  await page.getByRole('link', { name: 'support-agent', exact: true }).waitFor();
  const bytes = [...scripts.values()].reduce((sum, one) => sum + one, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(180_000);
});
