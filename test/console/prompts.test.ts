import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';

/** Prompts: made, edited, compared, tagged and deleted as a person does; what it did is read back by the API. */

const { signedIn } = useConsole();

const named = (what: string) => `${what}-${randomUUID().slice(0, 8)}`;
const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** Presses a button of the open dialog, and waits until the dialog has done its work. */
async function submit(page: Page, name: string): Promise<void> {
  await dialog(page).getByRole('button', { name, exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
}
async function choose(page: Page, { of, item }: { readonly of: string; readonly item: string }) {
  await press(page, of);
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

interface Repo {
  readonly repo: {
    readonly description: string | null;
    readonly readme: string | null;
    readonly is_public: boolean;
    readonly num_commits: number;
  };
}
interface Commits {
  readonly commits: readonly {
    readonly id: string;
    readonly commit_hash: string;
    readonly description: string | null;
    readonly manifest: unknown;
  }[];
}
interface Tag {
  readonly tag_name: string;
  readonly commit_hash: string;
}

const repoOf = async (name: string) => (await api<Repo>(`/repos/-/${name}`)).repo;
const commitsOf = async (name: string) => (await api<Commits>(`/commits/-/${name}`)).commits;
const tagsOf = async (name: string) =>
  (await api<Tag[]>(`/repos/-/${name}/tags`)).map(({ tag_name, commit_hash }) => [tag_name, commit_hash]);

const template = (role: 'System' | 'Human', text: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'prompts', 'chat', `${role}MessagePromptTemplate`],
  kwargs: {
    prompt: {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'prompts', 'prompt', 'PromptTemplate'],
      kwargs: { template: text, template_format: 'mustache', input_variables: [] },
    },
  },
});
const chat = (...messages: object[]) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'prompts', 'chat', 'ChatPromptTemplate'],
  kwargs: { messages, input_variables: [] },
});

/** Makes a prompt with two commits. @returns their hashes, the newest first. */
async function makePrompt(name: string): Promise<readonly string[]> {
  await api('/repos', {
    method: 'POST',
    body: { repo_handle: name, is_public: false, description: 'Answers customers' },
  });
  for (const [said, description] of [
    ['Answer briefly.', 'First words'],
    ['Answer briefly, and kindly.', 'Kinder'],
  ] as const)
    await api(`/commits/-/${name}`, {
      method: 'POST',
      body: { manifest: chat(template('System', said), template('Human', '{{question}}')), description },
    });
  return (await commitsOf(name)).map(({ commit_hash }) => commit_hash);
}

test('when a prompt is made, found, and deleted, then the API says so', async () => {
  const name = named('made');
  const page = await signedIn('/console/prompts');
  await press(page, 'New prompt');
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByLabel('Description').fill('Says hello');
  await dialog(page).getByLabel('System message').fill('Be kind.');
  await dialog(page).getByLabel('User message').fill('Hello {{who}}');
  await submit(page, 'Make the prompt');
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('Hello {{who}}').waitFor();
  expect(await repoOf(name)).toMatchObject({ description: 'Says hello', is_public: false, num_commits: 1 });
  expect(JSON.stringify(await commitsOf(name))).toContain('"input_variables":["who"]');

  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Prompts' }).click();
  await page.getByLabel('Search prompts').fill(name);
  await page.waitForURL(/words=/);
  await page.getByRole('link', { name, exact: true }).waitFor();
  await lookAt(page, 'prompts');
  await choose(page, { of: `Actions of ${name}`, item: 'Delete' });
  await submit(page, 'Delete the prompt');
  await page.getByText('No prompt has these words').waitFor();
  await expect(repoOf(name)).rejects.toThrow('404');
});

test('when two commits are compared, then what differs is shown, and the address says which', async () => {
  const name = named('compared');
  const [newest, oldest] = await makePrompt(name);
  const page = await signedIn(`/console/prompts/${name}?commit=${newest}`);
  await page.getByText('Answer briefly, and kindly.').waitFor();
  await lookAt(page, 'prompt');
  await page.getByLabel('Compare with').selectOption(oldest?.slice(0, 8) ?? '');
  const differs = page.getByLabel('What differs');
  await differs.getByText('− Answer briefly.').waitFor();
  await differs.getByText('+ Answer briefly, and kindly.').waitFor();
  await lookAt(page, 'prompt-diff');
  await page.getByRole('link', { name: 'Swap' }).click();
  await differs.getByText('+ Answer briefly.').waitFor();
  await page.reload();
  await differs.getByText('+ Answer briefly.').waitFor();
  await page.getByRole('link', { name: 'Close', exact: true }).click();
  await page.getByRole('heading', { name: `Commit ${oldest?.slice(0, 8)}` }).waitFor();
  const lines = page.getByLabel('Pull it (Python)', { exact: true });
  expect(await lines.textContent()).toContain(`client.pull_prompt("${name}:${oldest?.slice(0, 8)}")`);
});

test('when a tag is set, moved and removed, then programs pull what it stands for', async () => {
  const name = named('tagged');
  const [newest = '', oldest = ''] = await makePrompt(name);
  const page = await signedIn(`/console/prompts/${name}`);
  const tagOn = async (hash: string, button: string) => {
    await choose(page, { of: `Actions of ${hash.slice(0, 8)}`, item: 'Set a tag' });
    await dialog(page).getByLabel('Tag').fill('production');
    await submit(page, button);
  };
  await tagOn(oldest, 'Set the tag');
  expect(await tagsOf(name)).toEqual([['production', oldest]]);
  await page.goto(`${page.url()}?commit=production`);
  await page.getByText('Answer briefly.', { exact: true }).waitFor();
  await tagOn(newest, 'Move the tag');
  expect(await tagsOf(name)).toEqual([['production', newest]]);
  await choose(page, { of: `Actions of ${newest.slice(0, 8)}`, item: 'Remove the tag production' });
  await submit(page, 'Remove the tag');
  expect(await tagsOf(name)).toEqual([]);
});

test('when a prompt is edited, then there is a new commit, and details are what was typed', async () => {
  const name = named('edited');
  await makePrompt(name);
  const page = await signedIn(`/console/prompts/${name}`);
  await press(page, 'Edit');
  await dialog(page).getByLabel('Text of message 1').fill('Answer in {{language}}.');
  await dialog(page).getByRole('button', { name: 'Message', exact: true }).click();
  await dialog(page).getByLabel('Role of message 3').selectOption('assistant');
  await dialog(page).getByLabel('Text of message 3').fill('Gladly.');
  await dialog(page).getByRole('button', { name: 'Move message 3 up' }).click();
  await dialog(page).getByRole('button', { name: 'Messages of a variable' }).click();
  await dialog(page).getByLabel('Variable of message 4').fill('history');
  await dialog(page).getByRole('button', { name: 'Remove message 3' }).click();
  await dialog(page).getByLabel('What changed').fill('Speaks languages');
  await submit(page, 'Commit');
  await page.getByText('Speaks languages').waitFor();
  const [latest] = await commitsOf(name);
  expect(latest).toMatchObject({
    description: 'Speaks languages',
    manifest: { kwargs: { input_variables: ['language', 'history'] } },
  });
  await choose(page, { of: 'More actions', item: 'Change details' });
  await dialog(page).getByLabel('Description').fill('Answers everybody');
  await dialog(page).getByLabel('README').fill('# How to use it\n\nWith **care**.');
  await dialog(page).getByLabel('Public').check();
  await submit(page, 'Save');
  await page.getByRole('heading', { name: 'How to use it' }).waitFor();
  expect(await repoOf(name)).toMatchObject({
    description: 'Answers everybody',
    readme: '# How to use it\n\nWith **care**.',
    is_public: true,
  });
  await press(page, 'Try it');
  await page.waitForURL(new RegExp(`/console/playground\\?prompt=${name}`));
  await page.goBack();
  await choose(page, { of: 'More actions', item: 'Delete' });
  await submit(page, 'Delete the prompt');
  await page.waitForURL(/\/console\/prompts$/);
  await expect(repoOf(name)).rejects.toThrow('404');
});
