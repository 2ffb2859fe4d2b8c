import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, useConsole } from './support/console.ts';
import { makeDataset } from './support/experiments.ts';

/** What the menu on the page of a dataset offers. */

const { signedIn } = useConsole();

const choose = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'Actions on the dataset' }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

test('when a dataset is renamed, shared and deleted on its page, then the API says so', async () => {
  const [name, later] = [`before ${randomUUID()}`, `after ${randomUUID()}`];
  const { id } = await makeDataset(name);
  const page = await signedIn(`/console/datasets/${id}`);
  await choose(page, 'Rename or describe');
  await page.getByLabel('Name', { exact: true }).fill(later);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: later }).waitFor();
  expect(await api(`/datasets/${id}`)).toMatchObject({ name: later });
  await choose(page, 'Share');
  await page.getByRole('button', { name: 'Make a link' }).click();
  const link = page.getByLabel('The link', { exact: true });
  await link.waitFor();
  expect((await fetch(((await link.textContent()) ?? '').trim())).status).toBe(200);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await choose(page, 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL(/\/console\/datasets$/);
  await expect(api(`/datasets/${id}`)).rejects.toThrow('404');
});
