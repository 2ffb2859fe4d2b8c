import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, useConsole } from './support/console.ts';
import { makeProject, runsThere, sendRun } from './support/experiments.ts';

/** What the menus of queues offer, in their list and on the page of one. */

const { signedIn } = useConsole();
const unique = (word: string) => `${word} ${randomUUID().slice(0, 8)}`;

async function madeQueue() {
  const name = unique('menus');
  const { id } = await api<{ id: string }>('/annotation-queues', { method: 'POST', body: { name } });
  return { id, name, path: `/annotation-queues/${id}` };
}

async function madeProject() {
  const name = unique('filling');
  const { id } = await makeProject(name);
  await sendRun({ session_id: id, inputs: { question: 'Who?' }, outputs: {} });
  await runsThere(id, 1);
  return { id, name };
}

const choose = async (page: Page, menu: string, item: string) => {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

async function fillFrom(page: Page, project: string): Promise<void> {
  await page.getByLabel('Project', { exact: true }).selectOption({ label: project });
  await page.getByRole('button', { name: 'Put them in' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

test('when a queue is changed, filled and given reviewers in the list, then the API says so', async () => {
  const [{ name, path }, project] = [await madeQueue(), await madeProject()];
  const key = await api<{ id: string; name: string }>('/v2/api-keys', {
    method: 'POST',
    body: { name: unique('reviewer'), scopes: ['admin'] },
  });
  const page = await signedIn(`/console/queues?q=${encodeURIComponent(name)}`);
  await choose(page, `Actions on ${name}`, 'Change');
  await page.getByLabel('Description').fill('From the list');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /From the list/ }).waitFor();
  expect(await api(path)).toMatchObject({ description: 'From the list' });
  await choose(page, `Actions on ${name}`, 'Fill from a project');
  await fillFrom(page, project.name);
  expect(await api(`${path}/size`)).toEqual({ size: 1 });
  await choose(page, `Actions on ${name}`, 'Reviewers');
  await page.getByLabel('Reviewer', { exact: true }).selectOption({ label: `${key.name} (key)` });
  await page.getByRole('button', { name: 'Assign' }).click();
  await expect.poll(() => api(path)).toMatchObject({ assigned_reviewers: [{}] });
  await api(path, { method: 'DELETE' });
  await api(`/v2/api-keys/${key.id}`, { method: 'DELETE' });
});

test('when a queue is filled, passed by and deleted on its page, then the API says so', async () => {
  const [{ id, name, path }, project] = [await madeQueue(), await madeProject()];
  const page = await signedIn(`/console/queues/${id}`);
  await choose(page, 'Actions on the queue', 'Fill from a project');
  await fillFrom(page, project.name);
  expect(await api(`${path}/size`)).toEqual({ size: 1 });
  await page.getByRole('button', { name: 'Next (n)' }).click();
  await page.getByText('You have seen all that waits for you').waitFor();
  expect(await api(`/v1/platform${path}/items/count?status=needs_my_review`)).toMatchObject({ count: 1 });
  await choose(page, 'Actions on the queue', 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL(/\/console\/queues$/);
  expect(await api(`/annotation-queues?name=${encodeURIComponent(name)}`)).toEqual([]);
});
