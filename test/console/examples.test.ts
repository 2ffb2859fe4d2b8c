import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, useConsole } from './support/console.ts';
import { makeDataset, makeExamples } from './support/experiments.ts';

/** The example that is open, and files of all of them. */

const { signedIn } = useConsole();

async function open(questions: readonly string[]) {
  const { id } = await makeDataset(`examples ${randomUUID().slice(0, 8)}`);
  if (questions.length > 0)
    await makeExamples(
      id,
      questions.map((question) => ({ inputs: { question }, outputs: { answer: 'There' } })),
    );
  return { id, page: await signedIn(`/console/datasets/${id}`) };
}

const questionsOf = async (dataset: string) =>
  (await api<{ inputs: { question: string } }[]>(`/examples?dataset=${dataset}`)).map(
    ({ inputs }) => inputs.question,
  );
const panel = (page: Page) => page.getByRole('complementary', { name: 'Example' });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

test('when what was written is discarded, then the example stays as it was', async () => {
  const { id, page } = await open(['Where?']);
  await page.getByRole('row', { name: /Where\?/ }).click();
  await panel(page).getByLabel('Splits').fill('test');
  await page.getByRole('button', { name: 'Close the example' }).click();
  await inDialog(page, 'Cancel').click();
  expect(await panel(page).getByLabel('Splits').inputValue()).toBe('test');
  await page.getByRole('button', { name: 'Close the example' }).click();
  await inDialog(page, 'Discard').click();
  await panel(page).waitFor({ state: 'detached' });
  const [example] = await api<{ metadata: object }[]>(`/examples?dataset=${id}`);
  expect(JSON.stringify(example?.metadata ?? {})).not.toContain('test');
});

test('when values are edited in the table, then each is saved, and the others stay', async () => {
  const { id, page } = await open(['Where?', 'When?']);
  const edit = (what: string) =>
    page
      .getByRole('button', { name: `Edit the ${what}` })
      .first()
      .click();
  const form = page.getByRole('dialog');
  const stored = async () =>
    (await api<{ outputs: unknown; metadata: unknown; inputs: { question: string } }[]>(
      `/examples?dataset=${id}&order=recently_created`,
    )) ?? [];
  const [first] = await stored();
  await edit('outputs');
  await form.getByRole('textbox', { name: 'Outputs' }).fill('{"answer": ');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').waitFor();
  expect((await stored())[0]).toEqual(first);
  await form.getByRole('textbox', { name: 'Outputs' }).fill('{"answer": "Here"}');
  await page.keyboard.press('Control+Enter');
  await form.waitFor({ state: 'detached' });
  await page.getByRole('gridcell', { name: /^Here/ }).waitFor();
  await edit('splits');
  await form.getByLabel('Splits').fill('test, hard');
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell', { name: /hard/ }).waitFor();
  await edit('inputs');
  await form.getByRole('textbox', { name: 'Inputs' }).press('Control+a');
  await page.keyboard.press('Backspace');
  // What is written is left by a button alone.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  expect(await form.getByRole('textbox', { name: 'Inputs' }).textContent()).toBe('');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await form.waitFor({ state: 'detached' });
  await edit('inputs');
  await form.getByRole('textbox', { name: 'Inputs' }).press('Escape');
  await form.waitFor({ state: 'detached' });
  const [changed, other] = await stored();
  expect(changed).toMatchObject({ inputs: first?.inputs, outputs: { answer: 'Here' } });
  expect(changed?.metadata).toMatchObject({ dataset_split: ['test', 'hard'] });
  expect(other?.outputs).toEqual({ answer: 'There' });
});

test('when the example that is open is deleted, then only the others are left', async () => {
  const { id, page } = await open(['Where?', 'When?']);
  await page.getByRole('row', { name: /Where\?/ }).click();
  await panel(page).getByRole('button', { name: 'Delete', exact: true }).click();
  await inDialog(page, 'Delete').click();
  await page.getByText('Deleted the example.').waitFor();
  await panel(page).waitFor({ state: 'detached' });
  expect(await questionsOf(id)).toEqual(['When?']);
});

test('when examples are exported as lines of JSON, then a file has one for each', async () => {
  const { page } = await open(['Where?', 'When?']);
  const exported = async (name: string) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name, exact: true }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^examples .*\.jsonl$/);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as unknown);
  };
  const values = expect.arrayContaining([
    expect.objectContaining({ inputs: { question: 'Where?' }, outputs: { answer: 'There' } }),
  ]);
  expect(await exported('As JSONL')).toEqual(values);
  expect(await exported('As JSONL')).toHaveLength(2);
  const tuning = await exported('As JSONL for OpenAI fine-tuning');
  expect(JSON.stringify(tuning)).toContain('Where?');
});

test('when a dataset is empty, then its first example is written from there', async () => {
  const { id, page } = await open([]);
  await page.getByRole('button', { name: 'Write an example' }).click();
  await panel(page).getByRole('button', { name: 'Add the example' }).click();
  await page.getByText('1 example', { exact: true }).waitFor();
  expect(await questionsOf(id)).toEqual(['']);
});
