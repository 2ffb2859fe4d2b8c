import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';
import { makeDataset, makeExamples, makeProject, runsThere, sendRun } from './support/experiments.ts';

const { signedIn } = useConsole();
const unique = (word: string) => `${word} ${randomUUID().slice(0, 8)}`;

interface ReadExample {
  readonly id: string;
  readonly inputs: object;
  readonly outputs: object | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}
const examplesOf = (dataset: string) => api<ReadExample[]>(`/examples?dataset=${dataset}`);
const datasetsNamed = (name: string) =>
  api<{ id: string; description: string | null }[]>(`/datasets?name=${encodeURIComponent(name)}`);

const choose = async (page: Page, menu: string, item: string) => {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

const write = async (page: Page, label: string, text: string) => {
  await page.getByRole('textbox', { name: label, exact: true }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
};

test('when a dataset is made, renamed, shared and deleted, then the API says so', async () => {
  const [name, other] = [unique('questions'), unique('renamed')];
  const page = await signedIn('/console/datasets');
  await page.getByRole('button', { name: 'New dataset' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Description').fill('What customers ask');
  await page.getByRole('button', { name: 'Make it' }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('The dataset has no examples here yet').waitFor();
  expect(await datasetsNamed(name)).toMatchObject([{ description: 'What customers ask' }]);
  await page.getByRole('link', { name: 'Datasets', exact: true }).first().click();
  await page.getByLabel('Search datasets').fill(name);
  await page.waitForURL(/q=questions/);
  await choose(page, `Actions on ${name}`, 'Rename or describe');
  await page.getByLabel('Name', { exact: true }).fill(other);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await datasetsNamed(other)).length).toBe(1);
  await page.getByLabel('Search datasets').fill(other);
  await choose(page, `Actions on ${other}`, 'Share');
  await page.getByRole('button', { name: 'Make a link' }).click();
  const link = page.getByLabel('The link', { exact: true });
  await link.waitFor();
  expect((await fetch(((await link.textContent()) ?? '').trim())).status).toBe(200);
  await page.getByRole('button', { name: 'Stop sharing' }).click();
  await page.getByRole('button', { name: 'Make a link' }).waitFor();
  await page.keyboard.press('Escape');
  await lookAt(page, 'datasets');
  await choose(page, `Actions on ${other}`, 'Delete');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No dataset has this in its name').waitFor();
  expect(await datasetsNamed(other)).toEqual([]);
});

test('when a CSV is dropped and its columns are told, then its rows are examples', async () => {
  const name = unique('orders');
  const page = await signedIn('/console/datasets');
  await page.getByRole('button', { name: 'Import a file' }).waitFor();
  const text = 'question,answer,price\n"Where, now?",On its way,1\nWhen?,Soon,2\n';
  const file = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(`${name}.csv`)}, { type: 'text/csv' }));
    return data;
  })()`);
  const content = page.locator('#content [role=presentation]').first();
  await content.dispatchEvent('dragover', { dataTransfer: file });
  await content.dispatchEvent('drop', { dataTransfer: file });
  await page.getByLabel('Part of price').selectOption('metadata');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  await page.getByText('2 examples').waitFor();
  const [dataset] = await datasetsNamed(name);
  const found = await examplesOf(dataset?.id ?? '');
  expect(found.map(({ inputs, outputs }) => ({ inputs, outputs }))).toEqual(
    expect.arrayContaining([
      { inputs: { question: 'Where, now?' }, outputs: { answer: 'On its way' } },
      { inputs: { question: 'When?' }, outputs: { answer: 'Soon' } },
    ]),
  );
  expect(new Set(found.map(({ metadata }) => metadata?.['price']))).toEqual(new Set(['1', '2']));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const lines = '{"inputs":{"question":"Who?"},"outputs":{"answer":"We"}}\n';
  await page
    .getByLabel('A .csv or .jsonl file')
    .setInputFiles({ name: 'more.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines) });
  await page.getByText('Each line says itself').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('3 examples').waitFor();
});

test('when examples are written, changed, split, tagged and deleted, then the API agrees', async () => {
  const { id } = await makeDataset(unique('examples'));
  const [made] = await makeExamples(id, [{ inputs: { question: 'Where?' }, outputs: { answer: 'There' } }]);
  const page = await signedIn(`/console/datasets/${id}`);
  await page.getByRole('row', { name: /Where\?/ }).click();
  const panel = page.getByRole('complementary', { name: 'Example' });
  await panel.waitFor();
  await write(page, 'Outputs', '{"answer": "Here"}');
  await write(page, 'Metadata', '{"topic": "place"}');
  await panel.getByLabel('Splits').fill('test, base');
  await panel.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved the example.').waitFor();
  expect(await examplesOf(id)).toMatchObject([
    { outputs: { answer: 'Here' }, metadata: { topic: 'place', dataset_split: ['test', 'base'] } },
  ]);
  await lookAt(page, 'examples');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name: 'New example' }).waitFor();
  await write(page, 'Inputs', '{"question": ');
  await page.getByRole('button', { name: 'Add the example' }).click();
  await page.getByRole('alert').filter({ hasText: 'Inputs: is not JSON' }).waitFor();
  await write(page, 'Inputs', '{"question": "Who?"}');
  await page.getByRole('button', { name: 'Add the example' }).click();
  await page.getByText('2 examples').waitFor();
  expect(await examplesOf(id)).toHaveLength(2);
  await page.getByLabel('Mark Who?').check();
  await page.getByRole('button', { name: 'Splits', exact: true }).click();
  await page.getByLabel('Split', { exact: true }).last().fill('train');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Put 1 example into train.').waitFor();
  await page.getByLabel('Split', { exact: true }).selectOption('train');
  await page.getByText('1 example', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('split')).toBe('train');
  await page.getByLabel('Split', { exact: true }).selectOption('');
  await page.getByRole('button', { name: 'Tag this version' }).click();
  await page.getByLabel('Tag', { exact: true }).fill('production');
  await page.getByRole('button', { name: 'Tag it' }).click();
  await page.getByText(/Tagged the version/).waitFor();
  const tagged = await api<{ as_of: string }>(`/datasets/${id}/version?tag=production`);
  const download = page.waitForEvent('download');
  await choose(page, 'Export', 'As CSV');
  expect(await readFile(await (await download).path(), 'utf8')).toMatch(/Who\?/);
  await page.getByLabel('Mark Who?').check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('1 example', { exact: true }).waitFor();
  expect((await examplesOf(id)).map((one) => one.id)).toEqual([made?.id]);
  await page.getByLabel('Version').selectOption(tagged.as_of);
  await page.getByText('2 examples').waitFor();
  await page.getByText(/Since then 0 added, 0 changed, 1 removed/).waitFor();
});

/** A dataset of three questions, and two experiments of which the second is worse at one and better at another. */
async function madeExperiments() {
  const { id } = await makeDataset(unique('compared'));
  const examples = await makeExamples(
    id,
    ['alpha', 'beta', 'gamma'].map((question) => ({ inputs: { question }, outputs: { answer: question } })),
  );
  const scores = { careful: [1, 0, 1], hasty: [0, 1, 1] } as const;
  const experiments: string[] = [];
  for (const [word, exact] of Object.entries(scores)) {
    const project = await makeProject(unique(word), { reference_dataset_id: id });
    for (const [index, example] of examples.entries())
      await sendRun({
        session_id: project.id,
        inputs: example.inputs,
        outputs: { answer: exact[index] === 1 ? example.inputs.question : 'no idea' },
        reference_example_id: example.id,
        scores: { exact: exact[index] ?? 0 },
      });
    await runsThere(project.id, 3);
    experiments.push(project.id);
  }
  return { id, experiments, examples };
}

test('when experiments are compared, then regressions come first, with a diff and a trace', async () => {
  const { id, experiments, examples } = await madeExperiments();
  const page = await signedIn(`/console/datasets/${id}?tab=experiments`);
  const marks = page.getByRole('checkbox');
  await expect.poll(() => marks.count()).toBe(2);
  await page.getByRole('row', { name: /careful.*exact 0.67/ }).waitFor();
  await lookAt(page, 'experiments');
  await page
    .getByRole('row', { name: /careful/ })
    .getByRole('checkbox')
    .check();
  await page.getByRole('row', { name: /hasty/ }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Compare 2' }).click();
  const table = page.getByRole('grid', { name: 'Comparison' });
  await table.getByText('worse', { exact: true }).first().waitFor();
  expect(await table.getByRole('gridcell').first().textContent()).toBe('alpha');
  await page.getByText('1 regressed').waitFor();
  await page.keyboard.press('i');
  await page.waitForURL(/show=improved/);
  expect(await table.getByRole('gridcell').first().textContent()).toBe('beta');
  await page.getByLabel('Show').selectOption('');
  await page.getByLabel('Baseline').selectOption(experiments[1] ?? '');
  await expect.poll(() => table.getByRole('gridcell').first().textContent()).toBe('beta');
  await page.getByLabel('Baseline').selectOption(experiments[0] ?? '');
  await table.getByText('alpha').first().click();
  const detail = page.getByRole('region', { name: 'Example' });
  await detail.locator('ins', { hasText: 'no idea' }).waitFor();
  await page.getByLabel('Differences from').selectOption('baseline');
  await page.waitForURL(/against=baseline/);
  await lookAt(page, 'compare');
  const trace = await detail.getByRole('link', { name: /Trace in hasty/ }).getAttribute('href');
  const [session_id = ''] = experiments;
  const outputs = { answer: 'gamma again' };
  await sendRun({ session_id, inputs: {}, outputs, reference_example_id: examples[2]?.id ?? '' });
  await runsThere(session_id, 4);
  await table.getByText('gamma').first().click();
  await detail.getByText('Repetition 2 of 2').waitFor();
  expect(await detail.getByText('gamma again').count()).toBe(1);
  expect(trace).toMatch(new RegExp(`/projects/${experiments[1] ?? ''}/traces/`));
});

test('when the better of two is chosen by keyboard, then both runs get feedback', async () => {
  const { id, experiments } = await madeExperiments();
  const ids = encodeURIComponent(JSON.stringify(experiments));
  const page = await signedIn(`/console/datasets/${id}/compare?experiments=${ids}`);
  await page.getByRole('button', { name: 'Choose the better of two' }).click();
  await page.getByText('These two were not compared yet').waitFor();
  await page.getByRole('button', { name: 'New comparison' }).click();
  await page.getByRole('button', { name: 'Begin' }).click();
  const tally = page.getByText(/Example \d of 3; \d chosen/);
  await page.getByText('Example 1 of 3; 0 chosen.').waitFor();
  await page
    .getByRole('region', { name: 'Left' })
    .getByText(/answer/)
    .waitFor();
  await lookAt(page, 'pairs');
  await page.keyboard.press('ArrowLeft');
  await page.getByText('Example 2 of 3; 1 chosen.').waitFor();
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText('Example 1 of 3; 1 chosen.').waitFor();
  await page.getByRole('button', { name: 'Left is better' }).click();
  await page.getByText('Example 2 of 3; 1 chosen.').waitFor();
  await page.getByRole('button', { name: 'Right is better' }).click();
  await page.getByText('Example 3 of 3; 2 chosen.').waitFor();
  await page.getByRole('button', { name: 'Equal (0)' }).click();
  await page.getByText(/3 chosen\. careful.* is better in/).waitFor();
  expect(await tally.textContent()).toMatch(/equal in 1\.$/);
  const [comparison] = await api<{ id: string }[]>(`/datasets/${id}/comparative`);
  const given = await api<{ score: number }[]>(
    `/feedback?comparative_experiment_id=${comparison?.id ?? ''}&key=preference`,
  );
  expect(given.map(({ score }) => score).toSorted((one, other) => one - other)).toEqual([
    0, 0, 0.5, 0.5, 1, 1,
  ]);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('These two were not compared yet').waitFor();
  expect(await api(`/datasets/${id}/comparative`)).toEqual([]);
});

test('when an experiment is made the baseline and the other one deleted, then the API agrees', async () => {
  const { id, experiments } = await madeExperiments();
  const page = await signedIn(`/console/datasets/${id}?tab=experiments`);
  const row = (word: RegExp) => page.getByRole('row', { name: word });
  await row(/hasty/).getByRole('button').last().click();
  await page.getByRole('menuitem', { name: 'Make it the baseline' }).click();
  await row(/hasty.*baseline/).waitFor();
  expect(await api(`/datasets/${id}`)).toMatchObject({ baseline_experiment_id: experiments[1] });
  await row(/careful/)
    .getByRole('button')
    .last()
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText(/Deleted the experiment careful/).waitFor();
  const left = await api<{ id: string }[]>(`/sessions?reference_dataset=${id}`);
  expect(left.map((one) => one.id)).toEqual([experiments[1]]);
});
