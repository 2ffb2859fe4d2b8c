import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { eventually, useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';
import { MODEL_KEY, startModelServer } from './support/model-server.ts';

/** The playground, against a server of models on this machine. */

const { signedIn } = useConsole();
const models = useFixturePerTest(startModelServer);

const named = (what: string) => `${what}-${randomUUID().slice(0, 8)}`;
const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
async function submit(page: Page, name: string): Promise<void> {
  await dialog(page).getByRole('button', { name, exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

interface Provider {
  readonly id: string;
  readonly name: string;
  readonly has_api_key: boolean;
  readonly models: readonly string[];
}
const providerNamed = async (name: string) =>
  (await api<{ items: readonly Provider[] }>('/v2/model-providers')).items.find((one) => one.name === name);

/** A provider whose models are those of this test. */
const addProvider = () =>
  api<Provider>('/v2/model-providers', {
    method: 'POST',
    body: { name: named('models'), kind: 'openai', base_url: models().url, api_key: MODEL_KEY },
  });
const bench = async (model: string, more = ''): Promise<Page> => {
  const { id } = await addProvider();
  const page = await signedIn(`/console/playground?provider=${id}&model=${model}${more}`);
  await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor();
  return page;
};
const answer = (page: Page) => page.getByRole('region', { name: 'Answer' });

test('when a provider is added, changed and deleted, then its key is kept and never shown', async () => {
  const name = named('provider');
  const page = await signedIn('/console/settings/providers');
  await press(page, 'New provider');
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByLabel('Address').fill(models().url);
  await dialog(page).getByLabel('API key').fill(MODEL_KEY);
  await dialog(page).getByLabel('Models').fill('mine\n\nyours');
  await submit(page, 'Save the provider');
  expect(await providerNamed(name)).toMatchObject({ has_api_key: true, models: ['mine', 'yours'] });
  const actions = page.getByRole('button', { name: `Actions of ${name}` });
  await actions.waitFor();
  await lookAt(page, 'model-providers');
  await actions.click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  expect(await dialog(page).getByLabel('API key').inputValue()).toBe('');
  await dialog(page).getByLabel('Models').fill('mine');
  await submit(page, 'Save the provider');
  expect(await providerNamed(name)).toMatchObject({ has_api_key: true, models: ['mine'] });
  await actions.click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await dialog(page).getByLabel('Remove the key').check();
  await submit(page, 'Save the provider');
  expect(await providerNamed(name)).toMatchObject({ has_api_key: false });
  expect(await page.content()).not.toContain(MODEL_KEY);
  await actions.click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await submit(page, 'Delete the provider');
  expect(await providerNamed(name)).toBeUndefined();
});

test('when messages are run, then the answer streams with its reasoning, and its trace is linked', async () => {
  const page = await bench('good');
  await page.getByLabel('Text of message 1').fill('Say hello in {{language}}.');
  await page.getByLabel('language', { exact: true }).fill('French');
  await page.getByLabel('Temperature').fill('0.2');
  await page.getByText('Tools', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Tools' }).fill('{"name":"weather"}');
  await press(page, 'Run');
  await answer(page).getByText('Bonjour').waitFor();
  await page.getByText('A greeting, it seems.').waitFor();
  await page.getByText('12 tokens in').waitFor();
  expect(models().requests.at(-1)).toMatchObject({
    model: 'good',
    temperature: 0.2,
    messages: [{ role: 'user', content: 'Say hello in French.' }],
    tools: [{ type: 'function', function: { name: 'weather' } }],
  });
  const link = page.getByRole('link', { name: 'Its trace' });
  await link.waitFor();
  await lookAt(page, 'playground');
  const [, trace = ''] = /traces\/([0-9a-f-]{36})/.exec((await link.getAttribute('href')) ?? '') ?? [];
  expect(await api(`/runs/${trace}`)).toMatchObject({ run_type: 'llm', status: 'success' });
});

test('when a model calls a tool or the provider refuses, then the page says so in words', async () => {
  const page = await bench('tools');
  await page.getByLabel('Text of message 1').fill('How is the weather?');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Call of weather' }).getByText('Paris').waitFor();
  await page.getByLabel('Model', { exact: true }).fill('refuses');
  await press(page, 'Run');
  const fault = page.getByRole('alert').filter({ hasText: 'The provider answered 401: No such key.' });
  await fault.waitFor();
  await page.getByText('Tools', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Tools' }).fill('nonsense');
  await press(page, 'Run');
  await page.getByText(/Tools is not JSON/).waitFor();
  expect(models().requests).toHaveLength(2);
});

test('when an answer is stopped, then the call of the model ends', async () => {
  const page = await bench('hang');
  await page.getByLabel('Text of message 1').fill('Go on');
  await press(page, 'Run');
  await page.getByText('Wait for it').waitFor();
  expect(models().open()).toBe(1);
  await press(page, 'Stop');
  await page.getByText('You stopped it.').waitFor();
  await eventually(() => expect(models().open()).toBe(0));
});

test('when messages are saved, then they are a commit, which runs by its name', async () => {
  const name = named('saved');
  const page = await bench('good');
  await page.getByLabel('Text of message 1').fill('Hello {{who}}');
  await page.getByLabel('who', { exact: true }).fill('you');
  await page.getByLabel('Temperature').fill('0.2');
  await press(page, 'Run');
  await answer(page).getByText('Bonjour').waitFor();
  await press(page, 'Save as a commit');
  await dialog(page).getByLabel('Prompt').fill(name);
  await submit(page, 'Save');
  await page.getByRole('link', { name: new RegExp(`^${name}:`) }).waitFor();
  await page.getByText(', changed').waitFor({ state: 'detached' });
  // All that was tried stays.
  expect(await page.getByLabel('who', { exact: true }).inputValue()).toBe('you');
  expect(await page.getByLabel('Temperature').inputValue()).toBe('0.2');
  expect(await answer(page).textContent()).toContain('Bonjour');
  await press(page, 'Run');
  await eventually(() => expect(models().requests).toHaveLength(2));
  await answer(page).getByText('Bonjour').waitFor();
  expect(models().requests.at(-1)).toMatchObject({ messages: [{ role: 'user', content: 'Hello you' }] });
  await page.getByLabel('Text of message 1').fill('Hi {{who}}');
  await page.getByText(', changed').waitFor();
  await press(page, 'Save as a commit');
  await dialog(page).getByLabel('What changed').fill('Shorter');
  await submit(page, 'Save');
  await page.getByText(', changed').waitFor({ state: 'detached' });
  const { commits } = await api<{ commits: readonly { readonly description: string | null }[] }>(
    `/commits/-/${name}`,
  );
  expect(commits.map(({ description }) => description)).toEqual(['Shorter', null]);
});

test('when a prompt runs over a dataset, then the experiment is followed, cancelled and linked', async () => {
  const dataset = await api<{ id: string; name: string }>('/datasets', {
    method: 'POST',
    body: { name: named('questions') },
  });
  for (const who of ['Ada', 'Bo'])
    await api('/examples', { method: 'POST', body: { dataset_id: dataset.id, inputs: { who } } });
  const page = await bench('good');
  await page.getByLabel('Text of message 1').fill('Hello {{who}}');
  const start = async () => {
    await press(page, 'Run over a dataset');
    await dialog(page)
      .getByRole('option', { name: new RegExp(dataset.name) })
      .waitFor({ state: 'attached' });
    await dialog(page).getByLabel('Dataset', { exact: true }).selectOption(dataset.id);
    await submit(page, 'Start the experiment');
  };
  await start();
  await page.getByText('2 of 2').waitFor();
  await page.getByText('done', { exact: true }).waitFor();
  const compare = await page.getByRole('link', { name: 'Compare its runs' }).getAttribute('href');
  expect(compare).toContain(`/datasets/${dataset.id}/compare`);
  await lookAt(page, 'playground-experiment');
  await press(page, 'Close');
  await page.getByLabel('Model', { exact: true }).fill('hang');
  await start();
  await press(page, 'Cancel it');
  await page.getByText('cancelled', { exact: true }).waitFor();
  const { items } = await api<{ items: readonly { readonly status: string }[] }>(
    `/v2/playground/experiments?dataset_id=${dataset.id}`,
  );
  expect(items.map(({ status }) => status)).toEqual(['cancelled', 'done']);
});
