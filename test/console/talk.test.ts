import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, lookAt, platform, useConsole } from './support/console.ts';

const { signedIn } = useConsole();

interface Thread {
  readonly thread_id: string;
  readonly status: string;
  readonly values: { readonly messages: readonly { readonly type: string; readonly content: unknown }[] };
  readonly next: readonly string[];
}
interface Assistant {
  readonly assistant_id: string;
  readonly version: number;
  readonly description: string | null;
  readonly context: unknown;
  readonly config: unknown;
}

const SUPPORT = '/agents/support-agent';
const unique = (name: string) => `${name}-${Math.random().toString(36).slice(2, 8)}`;
const statesOf = (agent: string, thread_id: string) =>
  api<Thread[]>(`/agents/${agent}/threads/${thread_id}/history?limit=50`);
const threadOf = (page: Page) => new URL(page.url()).searchParams.get('thread') ?? '';
const wordsOf = async (agent: string, thread_id: string) =>
  (await api<Thread>(`/agents/${agent}/threads/${thread_id}/state`)).values.messages.map(
    ({ content }) => content,
  );

/** Writes into an editor of JSON in place of what it holds. */
async function fillJson(page: Page, { label, value }: { readonly label: string; readonly value: unknown }) {
  await page.getByRole('textbox', { name: label, exact: true }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(JSON.stringify(value));
}

/** Holds what a page asks for, and counts it. */
async function held(page: Page, address: RegExp) {
  const gate = Promise.withResolvers<void>();
  let count = 0;
  await page.route(address, async (route) => {
    count += 1;
    await gate.promise;
    await route.continue();
  });
  const release = () => {
    gate.resolve();
    return count;
  };
  return { release, count: () => count };
}

async function write(page: Page, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(words);
  await page.keyboard.press('Enter');
}

test('when somebody writes to an agent, then its answer, its tools and its graph are shown', async () => {
  const page = await signedIn('/console/talk');
  await page.getByRole('grid', { name: 'Agents' }).getByRole('link', { name: 'support-agent' }).click();
  const made = await held(page, /\/support-agent\/threads$/);
  await write(page, 'Where is order 1042?');
  await page.keyboard.press('Enter');
  expect(made.release()).toBe(1);
  await page.getByRole('region', { name: 'Call of look_up_order' }).getByText('answered').waitFor();
  await page.getByText('I looked it up: order 1042 is out for delivery.').waitFor();
  const thread_id = threadOf(page);
  expect(await wordsOf('support-agent', thread_id)).toHaveLength(4);
  await page.getByRole('button', { name: 'New thread' }).click();
  await page.getByRole('heading', { level: 1, name: 'New thread' }).waitFor();
  await page.goBack();
  await page.reload();
  await page.getByText('I looked it up: order 1042 is out for delivery.').waitFor();
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  await page.getByRole('img', { name: 'model' }).waitFor();
  await lookAt(page, 'talk');
  await page.getByRole('link', { name: 'Graph' }).click();
  await page.getByRole('img', { name: 'tools' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/talk/support-agent/graph');
});

test('when a message is said anew, then the thread forks and its earlier steps stay', async () => {
  const page = await signedIn('/console/talk/support-agent?side=steps');
  await write(page, 'My name is Ada');
  await page.getByText('Nice to meet you, Ada. How can I help?').waitFor();
  const thread_id = threadOf(page);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Message').fill('My name is Grace');
  // A press beside a form, or Escape, loses nothing that is written in it.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await page.getByRole('button', { name: 'Send', exact: true }).last().click();
  await page.getByText('Nice to meet you, Grace. How can I help?').waitFor();
  expect(await wordsOf('support-agent', thread_id)).toEqual([
    'My name is Grace',
    'Nice to meet you, Grace. How can I help?',
  ]);
  const steps = page.getByRole('complementary', { name: 'Steps' });
  await steps.getByText('other branch').first().waitFor();
  const before = (await statesOf('support-agent', thread_id)).length;
  const states = await held(page, /\/history$/);
  const runs = await held(page, /\/runs\/stream$/);
  await page.getByRole('button', { name: 'Run again' }).dblclick();
  states.release();
  await expect.poll(runs.count).toBe(1);
  runs.release();
  await expect.poll(async () => (await statesOf('support-agent', thread_id)).length).toBeGreaterThan(before);
  expect(runs.count()).toBe(1);
  await lookAt(page, 'talk-steps');
});

test('when a state is edited, then it is a new step from which the graph runs again', async () => {
  const page = await signedIn('/console/talk/support-agent?side=steps');
  await write(page, 'My name is Ada');
  await page.getByText('Nice to meet you, Ada. How can I help?').waitFor();
  const thread_id = threadOf(page);
  await page.getByRole('button', { name: 'Edit the state' }).click();
  const messages = [{ type: 'human', content: 'What is my name?', id: 'edited' }];
  await fillJson(page, { label: 'Values as JSON', value: { messages } });
  await page.getByLabel('As if it came from').selectOption('__start__');
  await page.getByRole('button', { name: 'Write the state' }).click();
  await expect.poll(() => wordsOf('support-agent', thread_id)).toEqual(['What is my name?']);
  await page.getByRole('button', { name: 'Run from here' }).click();
  await page.getByText('You have not told me your name yet.').waitFor();
  expect(await wordsOf('support-agent', thread_id)).toHaveLength(2);
});

test('when an input is given as JSON or with a file, then the graph gets it', async () => {
  const page = await signedIn('/console/talk/support-agent');
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  await fillJson(page, {
    label: 'Input as JSON',
    value: { messages: [{ role: 'user', content: 'My name is Json' }] },
  });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Nice to meet you, Json. How can I help?').waitFor();
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  await page.getByLabel('Files').setInputFiles({
    name: 'dot.png',
    mimeType: 'image/png',
    buffer: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  });
  await page.getByText('dot.png').waitFor();
  await write(page, 'Look');
  await page.getByRole('img', { name: 'In the message' }).waitFor();
  await expect.poll(() => wordsOf('support-agent', threadOf(page))).toHaveLength(4);
  expect((await wordsOf('support-agent', threadOf(page)))[2]).toMatchObject([
    { type: 'text', text: 'Look' },
    { type: 'image_url' },
  ]);
});

test('when a graph asks, then it is answered in the conversation', async () => {
  const page = await signedIn('/console/talk/approval-agent');
  await write(page, 'Refund 31 euros');
  const question = page.getByRole('region', { name: 'Question' });
  await question.getByText('Shall I refund 31 euros? Answer yes or no.').waitFor();
  await question.getByLabel('Your answer').fill('yes');
  await question.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByText('Done: 31 euros are on their way.').waitFor();
  expect((await api<Thread>(`/agents/approval-agent/threads/${threadOf(page)}`)).status).toBe('idle');
});

test('when a run goes on while the page is opened, then it is joined, and it is stopped', async () => {
  const { thread_id } = await api<Thread>(`${SUPPORT}/threads`, { method: 'POST', body: {} });
  const { run_id } = await api<{ run_id: string }>(`${SUPPORT}/threads/${thread_id}/runs`, {
    method: 'POST',
    body: { assistant_id: 'agent', input: { messages: [] }, after_seconds: 600 },
  });
  const page = await signedIn(`/console/talk/support-agent?thread=${thread_id}`);
  await page.getByText('Running …').waitFor();
  // Who could not stop it may try again.
  await page.route(/\/cancel\?/, (route) => route.fulfill({ status: 503, json: { detail: 'Too busy.' } }), {
    times: 1,
  });
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Too busy.').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  const run = () => api<{ status: string }>(`${SUPPORT}/threads/${thread_id}/runs/${run_id}`);
  await expect.poll(run).toMatchObject({ status: 'interrupted' });
  await page.getByText('Running …').waitFor({ state: 'detached' });
});

test('when threads are searched by metadata, then one is found, opened and deleted', async () => {
  const customer = unique('c');
  const { thread_id } = await api<Thread>(`${SUPPORT}/threads`, {
    method: 'POST',
    body: { metadata: { customer, title: `About ${customer}` } },
  });
  const page = await signedIn('/console/talk/support-agent/threads');
  await page.getByLabel('Metadata, such as customer=c-17').fill(`customer=${customer}`);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('link', { name: `About ${customer}` }).waitFor();
  await lookAt(page, 'talk-threads');
  await page.getByRole('button', { name: `Delete About ${customer}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No thread is like that' }).waitFor();
  await expect(api(`${SUPPORT}/threads/${thread_id}`)).rejects.toThrow('404');
});

test('when an assistant is edited, then each change is a version, and an older one can run again', async () => {
  const name = unique('guide');
  const page = await signedIn('/console/talk/support-agent/assistants');
  await page.getByRole('button', { name: 'New assistant' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Description').fill('Leads people about');
  await fillJson(page, { label: 'Context', value: { language: 'en' } });
  await page.getByRole('button', { name: 'Save' }).click();
  const detail = page.getByRole('complementary', { name });
  await detail.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Description').fill('');
  await fillJson(page, { label: 'Context', value: { language: 'de' } });
  await page.getByRole('button', { name: 'Save' }).click();
  await detail.getByText('Version 2').waitFor();
  const assistant_id = new URL(page.url()).searchParams.get('assistant') ?? '';
  const read = () => api<Assistant>(`${SUPPORT}/assistants/${assistant_id}`);
  expect(await read()).toMatchObject({ version: 2, description: '', context: { language: 'de' } });
  await lookAt(page, 'talk-assistants');
  await detail.getByRole('button', { name: 'Run version 1' }).click();
  await expect.poll(read).toMatchObject({ version: 1, context: { language: 'en' } });
  await detail.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => read().catch(String)).toContain('404');
});

test('when the form of an assistant opens before the graphs are read, then it is of the first', async () => {
  const name = unique('early');
  const page = await signedIn('/console');
  const opened = Promise.withResolvers<void>();
  await page.route('**/assistants/search', async (route) => {
    await opened.promise;
    await route.continue();
  });
  await page.goto(`${new URL(page.url()).origin}/console/talk/support-agent/assistants`);
  await page.getByRole('button', { name: 'New assistant' }).click();
  await page.getByLabel('Name').fill(name);
  opened.resolve();
  await page.getByLabel('Graph').getByRole('option').first().waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('complementary', { name }).waitFor();
  const assistant_id = new URL(page.url()).searchParams.get('assistant') ?? '';
  expect(await api(`${SUPPORT}/assistants/${assistant_id}`)).toMatchObject({
    name,
    graph_id: expect.stringMatching(/./) as string,
  });
});

test('when an item is put, edited and deleted, then the store has what is shown', async () => {
  const label = unique('customers');
  const page = await signedIn('/console/talk/support-agent/store');
  await page.getByRole('navigation', { name: 'Namespaces' }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Put an item' }).click();
  await page.getByLabel('Namespace', { exact: true }).fill(`${label}.c-17`);
  await page.getByLabel('Key').fill('tone');
  await fillJson(page, { label: 'Value', value: { formal: true } });
  await page.getByRole('button', { name: 'Put', exact: true }).click();
  const namespaces = page.getByRole('navigation', { name: 'Namespaces' });
  await namespaces.getByRole('link', { name: `${label}.c-17` }).click();
  await page.getByRole('gridcell', { name: 'tone' }).click();
  const read = () => api(`${SUPPORT}/store/items?namespace=${label}.c-17&key=tone`);
  expect(await read()).toMatchObject({ value: { formal: true } });
  const detail = page.getByRole('complementary', { name: 'tone' });
  await lookAt(page, 'talk-store');
  await detail.getByRole('button', { name: 'Edit' }).click();
  await fillJson(page, { label: 'Value', value: { formal: false } });
  await page.getByRole('button', { name: 'Put', exact: true }).click();
  await expect.poll(read).toMatchObject({ value: { formal: false } });
  await detail.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  const left = () =>
    api(`${SUPPORT}/store/items/search`, { method: 'POST', body: { namespace_prefix: [label] } });
  await expect.poll(left).toEqual({ items: [] });
});

test('when the next page of a list fails, then it says so, and is read once it is asked again', async () => {
  const page = await signedIn('/console');
  const names = Array.from({ length: 200 }, (_, number) => [`namespace-${number}`]);
  let isFull = true;
  await page.route('**/store/namespaces', (route) => {
    const { offset } = route.request().postDataJSON() as { offset: number };
    if (offset === 0) return route.fulfill({ json: { namespaces: names } });
    if (isFull) return route.fulfill({ status: 400, json: { detail: 'The disk is full.' } });
    return route.fulfill({ json: { namespaces: [['the-last']] } });
  });
  await page.goto(`${platform.url}/console/talk/support-agent/store`);
  const list = page.getByRole('navigation', { name: 'Namespaces' });
  await list.getByRole('button', { name: 'Show more' }).click();
  const failure = list
    .getByRole('alert')
    .filter({ hasText: 'The rest could not be read: The disk is full.' });
  await failure.waitFor();
  expect(await page.getByRole('alert').count()).toBe(1);
  isFull = false;
  await failure.getByRole('button', { name: 'Try again' }).click();
  await list.getByRole('link', { name: 'the-last' }).waitFor();
  expect(await list.getByRole('button').count()).toBe(0);
});

test('when a cron is made, then it shows its next run, is switched off and on, and deleted', async () => {
  const { assistant_id } = await api<Assistant>(`${SUPPORT}/assistants`, {
    method: 'POST',
    body: { graph_id: 'agent', name: unique('nightly') },
  });
  const crons = () =>
    api<{ enabled: boolean; next_run_date: string }[]>(`${SUPPORT}/runs/crons/search`, {
      method: 'POST',
      body: { assistant_id },
    });
  const page = await signedIn('/console/talk/support-agent/crons');
  await page.getByRole('button', { name: 'New cron' }).and(page.locator(':enabled')).waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Assistant').selectOption(assistant_id);
  await page.getByLabel('Schedule').fill('7 3 * * *');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row', { name: /7 3 \* \* \* Europe\/Berlin nightly/ });
  await row.getByText(/^in /).waitFor();
  expect(await crons()).toMatchObject([{ enabled: true }]);
  await lookAt(page, 'talk-crons');
  await row.getByRole('button', { name: 'Switch off' }).click();
  await expect.poll(crons).toMatchObject([{ enabled: false }]);
  await row.getByRole('button', { name: 'Switch on' }).click();
  await expect.poll(crons).toMatchObject([{ enabled: true }]);
  await row.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(crons).toEqual([]);
  await api(`${SUPPORT}/assistants/${assistant_id}`, { method: 'DELETE' });
});
