import { randomUUID } from 'node:crypto';
import { eventually, useFixture } from '@roadstead/testing';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, platform, useConsole } from './support/console.ts';
import { makeDataset, makeProject, sendRun } from './support/experiments.ts';
import { PlayedListener } from './support/played-listener.ts';

/**
 * Tasks of somebody who never saw the console, from its first page. What other stories tell by mouse is told here with the
 * keyboard alone.
 */

const { signedIn } = useConsole();
const listener = useFixture(() => PlayedListener.open());
const own = randomUUID().slice(0, 8);

/** So many fail that this project is among the worst of the day. */
const FAILURES = 60;
const project = { id: '', name: `shop-${own}` };
const dataset = { id: '', name: `kept-${own}` };

beforeAll(async () => {
  project.id = (await makeProject(project.name)).id;
  dataset.id = (await makeDataset(dataset.name)).id;
  const run = { session_id: project.id, inputs: { city: 'Oslo' } };
  for (let index = 0; index < FAILURES; index += 10)
    await Promise.all(
      Array.from({ length: 10 }, () => sendRun({ ...run, outputs: null, error: 'ValueError: no such city' })),
    );
  await sendRun({ ...run, run_type: 'llm', outputs: { usage_metadata: { total_cost: 1.25 } } });
  await eventually(async () => {
    const { total_cost } = await sumsOfDay();
    if (total_cost !== 1.25) throw new Error(`The runs cost ${total_cost ?? 'nothing'}.`);
  });
});

afterAll(() => api(`/sessions/${project.id}`, { method: 'DELETE' }));

interface Sums {
  readonly errors: number;
  readonly total_cost: number | null;
}
async function sumsOfDay(): Promise<Sums> {
  const body = {
    project_ids: [project.id],
    start_time: new Date(Date.now() - 86_400_000).toISOString(),
    end_time: new Date().toISOString(),
  };
  const { series } = await api<{ series: [{ total: Sums }] }>('/v2/series/query', { method: 'POST', body });
  return series[0].total;
}

/** Tabs that one presses at most on a page before what one looks for has the focus. */
const MOST_TABS = 40;

async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if ((await target.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target.toString()} has no focus after ${MOST_TABS} tabs.`);
}

/** Reaches a control by Tab, and presses it. */
async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

/** Goes to what has a name, by the palette. */
async function goTo(page: Page, { name, kind }: { readonly name: string; readonly kind: string }) {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Name or id' }).waitFor();
  await page.keyboard.type(name);
  const places = page.getByRole('option', { selected: true });
  await places.filter({ hasText: new RegExp(`^${name}${kind}$`) }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const examples = () => api<{ inputs: object }[]>(`/examples?dataset=${dataset.id}`);

test('when runs failed today, then one finds why from home and keeps one, by mouse', async () => {
  const page = await signedIn();
  await page.getByRole('link', { name: `${project.name}: ${FAILURES} failed` }).click();
  await page
    .getByRole('row', { name: /answer/ })
    .first()
    .click();
  await page.getByRole('region', { name: 'Error' }).getByText('no such city').waitFor();
  await button(page, 'Add to dataset').click();
  await page.getByLabel('Dataset', { exact: true }).selectOption({ label: dataset.name });
  await button(page, 'Add').click();
  await page.getByText(`1 run added to ${dataset.name}.`).waitFor();
  expect(await examples()).toMatchObject([{ inputs: { city: 'Oslo' } }]);
});

/** A deployment with a secret, whose second revision serves. */
async function servedTwice() {
  const name = `served-${own}-${randomUUID().slice(0, 4)}`;
  const id = await listener().deploy(name, [{ name: 'TOKEN', value: 'old' }]);
  await listener().report(id, { phase: 'switch', outcome: 'done' });
  await api(`/v2/deployments/${id}/revisions`, { method: 'POST', body: {} });
  await listener().wantsRevision(id, 2);
  await listener().report(id, { phase: 'switch', outcome: 'done' });
  return { id, name };
}
interface Revision {
  readonly number: number;
  readonly rollback_of: string | null;
  readonly trigger: { readonly kind: string };
}
const newestRevision = async (id: string) =>
  (await api<{ resources: Revision[] }>(`/v2/deployments/${id}/revisions`)).resources[0];

test('when a revision is bad, then one rolls back with the keyboard', async () => {
  const { id, name } = await servedTwice();
  const page = await signedIn();
  await goTo(page, { name, kind: 'deployment' });
  await press(page, button(page, 'Roll back to revision 1'));
  await press(page, inDialog(page, 'Roll back'));
  await page.getByRole('listitem', { name: 'Revision 3' }).getByText('like revision 1').waitFor();
  expect((await newestRevision(id))?.rollback_of).not.toBeNull();
});

test('when a secret has changed, then one replaces it with the keyboard', async () => {
  const { id, name } = await servedTwice();
  const page = await signedIn();
  await goTo(page, { name, kind: 'deployment' });
  await press(page, page.getByRole('link', { name: 'Environment' }));
  await press(page, button(page, 'Replace TOKEN'));
  await page.getByLabel('New value of TOKEN').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('new');
  await page.keyboard.press('Enter');
  await page.getByRole('listitem', { name: 'Revision 3' }).waitFor();
  expect(await newestRevision(id)).toMatchObject({ number: 3, trigger: { kind: 'patch' } });
});

/** A thread that waits: the agent asks before it refunds. */
async function waitingThread() {
  const agent = '/agents/approval-agent';
  const euros = 1000 + Math.floor(Math.random() * 1_000_000);
  const { thread_id } = await api<{ thread_id: string }>(`${agent}/threads`, { method: 'POST', body: {} });
  const input = { messages: [{ role: 'user', content: `Refund ${euros} euros` }] };
  await api(`${agent}/threads/${thread_id}/runs/wait`, {
    method: 'POST',
    body: { assistant_id: 'agent', input },
  });
  const lastWords = async () => {
    const { values } = await api<{ values: { messages: { content: string }[] } }>(
      `${agent}/threads/${thread_id}`,
    );
    return values.messages.at(-1)?.content;
  };
  return { euros, lastWords };
}

test('when an agent waits, then one finds its question from home and approves, by mouse', async () => {
  const { euros, lastWords } = await waitingThread();
  const page = await signedIn();
  await page.getByRole('link', { name: /^approval-agent: \d+ conversation/ }).click();
  await page.getByRole('link', { name: new RegExp(`refund ${euros} euros`, 'i') }).click();
  const question = page.getByRole('region', { name: 'Question' });
  await question.getByText(`Shall I refund ${euros} euros?`).waitFor();
  await question.getByRole('textbox').fill('yes');
  await question.getByRole('button', { name: 'Answer', exact: true }).click();
  await expect.poll(lastWords).toBe(`Done: ${euros} euros are on their way.`);
});

test('when an agent needs a key, then one makes it with the keyboard', async () => {
  const name = `agent ${own}`;
  const page = await signedIn();
  await goTo(page, { name: 'API keys', kind: 'page' });
  await button(page, 'New key').waitFor();
  await page.keyboard.press('n');
  await tabTo(page, page.getByLabel('Name', { exact: true }));
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: `The key ${name}` }).waitFor();
  const { items } = await api<{ items: { id: string; name: string }[] }>('/v2/api-keys?page_size=100');
  const made = items.find((key) => key.name === name);
  expect(made).toBeDefined();
  await api(`/v2/api-keys/${made?.id ?? ''}`, { method: 'DELETE' });
});

const CLIENT_LINE = `claude mcp add --transport http roadstead ${platform.url}/mcp --header "SERVICE-API-KEY: YOUR_KEY"`;
const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

test('when an MCP client is to be connected, then home has its line to copy', async () => {
  const page = await signedIn();
  await button(page, 'Copy: An MCP client').click();
  await expect.poll(() => copied(page)).toBe(CLIENT_LINE);
});

test('when a person is invited with the keyboard, then they can sign in', async () => {
  const name = `grace-${own}`;
  const page = await signedIn();
  await goTo(page, { name: 'People', kind: 'page' });
  await button(page, 'Add a person').waitFor();
  await page.keyboard.press('n');
  await tabTo(page, page.getByLabel('Name', { exact: true }));
  await page.keyboard.type(name);
  await page.keyboard.press('Tab');
  await page.keyboard.type('a long enough password');
  await page.keyboard.press('Enter');
  await page.getByText(`${name} can sign in.`).waitFor();
  const { items } = await api<{ items: { id: string; name: string }[] }>(`/v2/users?name=${name}`);
  expect(items).toHaveLength(1);
  await api(`/v2/users/${items[0]?.id ?? ''}`, { method: 'DELETE' });
});
