import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { api, platform, useConsole } from './support/console.ts';
import { makeDataset, makeProject, runsThere, sendRun } from './support/experiments.ts';

/** What one takes from a run: into a queue, and as files. */

const { signedIn } = useConsole();
const unique = (word: string) => `${word} ${randomUUID().slice(0, 8)}`;

async function madeRun(inputs: object) {
  const project = await makeProject(unique('taken'));
  const run = await sendRun({ session_id: project.id, inputs, outputs: {} });
  await runsThere(project.id, 1);
  return { run, path: `/console/projects/${project.id}/traces/${run}` };
}

test('when a run is added to a queue, then it waits there', async () => {
  const name = unique('queue');
  const queue = await api<{ id: string }>('/annotation-queues', { method: 'POST', body: { name } });
  const { run, path } = await madeRun({ question: 'Who?' });
  const page = await signedIn(path);
  await page.getByRole('button', { name: 'Add to queue' }).click();
  await page.getByLabel('Annotation queue', { exact: true }).selectOption({ label: name });
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(`1 run added to ${name}.`).waitFor();
  expect(await api(`/annotation-queues/${queue.id}/runs`)).toMatchObject([{ id: run }]);
  await api(`/annotation-queues/${queue.id}`, { method: 'DELETE' });
});

test('when a run is added to a dataset, then it is an example there', async () => {
  const dataset = await makeDataset(unique('dataset'));
  const { path } = await madeRun({ question: 'Where?' });
  const page = await signedIn(path);
  await page.getByRole('button', { name: 'Add to dataset' }).click();
  await page.getByLabel('Dataset', { exact: true }).selectOption(dataset.id);
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText(/^1 run added to dataset/).waitFor();
  const examples = await api<object[]>(`/examples?dataset=${dataset.id}`);
  expect(examples).toMatchObject([{ inputs: { question: 'Where?' } }]);
  await api(`/datasets/${dataset.id}`, { method: 'DELETE' });
});

test('when a value is large, then all of it can be downloaded', async () => {
  const { path } = await madeRun({ text: 'long '.repeat(80_000), end: 'the end' });
  const page = await signedIn(path);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe('Input.json');
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({ end: 'the end' });
});

test('when a run has files, then each is saved as it was sent', async () => {
  const { run, path } = await madeRun({ question: 'Which?' });
  const form = new FormData();
  const end = { end_time: new Date().toISOString(), trace_id: run };
  form.append(`patch.${run}`, new Blob([JSON.stringify(end)], { type: 'application/json' }));
  form.append(`attachment.${run}.notes.txt`, new Blob(['all of it'], { type: 'text/plain' }));
  const answer = await fetch(`${platform.url}/runs/multipart`, {
    method: 'POST',
    headers: { 'x-api-key': platform.key },
    body: form,
  });
  expect(answer.status).toBe(202);
  const page = await signedIn(path);
  const button = page.getByRole('button', { name: 'Save notes.txt' });
  await expect
    .poll(async () => {
      await page.reload();
      return button.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
    })
    .toBe(true);
  const saved = page.waitForEvent('download');
  await button.click();
  expect(await readFile(await (await saved).path(), 'utf8')).toBe('all of it');
});
