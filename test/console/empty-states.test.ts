import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { fillingLines } from '../../packages/console/src/words/filling-lines.ts';
import { api, platform, useConsole } from './support/console.ts';

/** What an empty view says to paste is pasted, in a workspace that has nothing yet. */

const { blankPage } = useConsole();
const PROGRAM = fileURLToPath(new URL('../../bin/roadstead.mjs', import.meta.url));

interface Workspace extends AsyncDisposable {
  readonly id: string;
  readonly key: string;
}
const workspace = useFixture(async (): Promise<Workspace> => {
  const made = await api<{ id: string; key: string }>('/v2/workspaces', {
    method: 'POST',
    body: { name: 'empty' },
  });
  return {
    ...made,
    [Symbol.asyncDispose]: () => api(`/v2/workspaces/${made.id}?force=true`, { method: 'DELETE' }),
  };
});
const own = <T>(path: string, body?: unknown) =>
  api<T>(path, { key: workspace().key, ...(body !== undefined && { method: 'POST', body }) });

const run = promisify(execFile);
/** Runs lines as somebody does who has put in what they leave open. */
async function paste(lines: string, { project = '' } = {}): Promise<string> {
  const filled = lines
    .replaceAll('YOUR_KEY', workspace().key)
    .replaceAll('ID_OF_A_PROJECT', project)
    .replace(/ roadstead /, ` ${process.execPath} ${PROGRAM} `);
  const pasted = run('sh', ['-c', filled]);
  pasted.child.stdin?.end('a long password of hers\n');
  return (await pasted).stdout;
}

/** A page of somebody who is signed in to that workspace. */
async function signedIn(key = workspace().key) {
  const page = await blankPage();
  const { url } = await api<{ url: string }>('/v2/sign-in-links', { key, method: 'POST', body: {} });
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'attached' });
  return page;
}

const views = [
  { path: 'alerts', empty: 'No alerts yet', snippet: 'Make an alert', made: 'Failures' },
  { path: 'queues', empty: 'There are no annotation queues yet', snippet: 'Make a queue', made: 'To review' },
  { path: 'settings/rules', empty: 'There is no rule', snippet: 'Make a rule', made: 'Keep failures longer' },
  {
    path: 'settings/integrations',
    empty: 'No git host is connected',
    snippet: 'Connect a git host',
    made: 'acme',
  },
  {
    path: 'settings/webhooks',
    empty: 'Nobody is told of events',
    snippet: 'Make a webhook',
    made: 'https://receiver.example.com/roadstead',
  },
  { path: 'settings/prices', empty: 'No model has a price', snippet: 'Enter a price', made: 'gpt-5' },
  // Who may only see is shown no people.
  { path: 'settings/people', empty: undefined, snippet: 'Let somebody in', made: 'anna' },
] as const;

test('when somebody may only see, then an empty view says nothing that they could not do', async () => {
  const { key } = await own<{ key: string }>('/v2/api-keys', { name: 'sees', scopes: ['reader'] });
  const page = await signedIn(key);
  const open = views.filter(({ empty }) => empty !== undefined);
  for (const { path, empty = '', snippet } of open) {
    await page.goto(`${platform.url}/console/${path}`);
    await page.getByRole('heading', { name: empty }).waitFor();
    expect([path, await page.getByLabel(snippet, { exact: true }).count()]).toEqual([path, 0]);
    expect([path, await page.getByText('from a terminal').count()]).toEqual([path, 0]);
  }
  expect(open).toHaveLength(6);
});

test('when an empty view says what to paste, then pasting it fills the view', async () => {
  const { id: dataset } = await own<{ id: string }>('/datasets', { name: 'capitals' });
  const { id: project } = await own<{ id: string }>('/sessions', { name: 'support' });
  const page = await signedIn();
  const all = [
    ...views,
    { path: `datasets/${dataset}`, snippet: 'Add an example', made: 'What is the capital of France?' },
  ];
  for (const { path, snippet, made } of all) {
    await page.goto(`${platform.url}/console/${path}`);
    const lines = page.getByLabel(snippet, { exact: true });
    await lines.waitFor();
    await paste((await lines.textContent()) ?? '', { project });
    await page.reload();
    await page.getByRole('gridcell', { name: made }).first().waitFor();
    expect(await lines.count()).toBe(0);
  }
});

test('when the lines of a key and a listener are pasted, then the command line takes them', async () => {
  expect(await paste(fillingLines.key(platform.url))).toMatch(/rs_\w+/);
  const { items } = await own<{ items: { name: string }[] }>('/v2/api-keys');
  expect(items.map(({ name }) => name)).toContain('ci');
  // A cluster finds no platform at the address that stories have.
  await expect(paste(fillingLines.listener(platform.url))).rejects.toThrow(/leads a cluster to itself/);
});
