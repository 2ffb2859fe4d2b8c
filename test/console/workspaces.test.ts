import { randomUUID } from 'node:crypto';
import { useFixture } from '@roadstead/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, platform, useConsole } from './support/console.ts';

/** Somebody who has the same name and password in two workspaces. */

const { blankPage } = useConsole();
const name = `both-${randomUUID().slice(0, 8)}`;
const person = { name, password: 'eleven quiet herons', role: 'admin' };
const other = useFixture(async () => {
  const post = <T>(path: string, { body, key }: { body: object; key?: string }) =>
    api<T>(path, { method: 'POST', body, ...(key !== undefined && { key }) });
  const { id, key } = await post<{ id: string; key: string }>('/v2/workspaces', { body: { name } });
  const here = await post<{ id: string }>('/v2/users', { body: person });
  await post('/v2/users', { body: person, key });
  return {
    key,
    [Symbol.asyncDispose]: async () => {
      await api(`/v2/users/${here.id}`, { method: 'DELETE' });
      await api(`/v2/workspaces/${id}?force=true`, { method: 'DELETE', key });
    },
  };
});

async function goTo(page: Page, workspace: string): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: `Go to ${workspace}`, exact: true }).click();
}

test('when somebody goes to another workspace, then the page shows and makes what is there', async () => {
  const page = await blankPage();
  await page.goto(`${platform.url}/console`);
  await page.getByLabel('Name', { exact: true }).fill(person.name);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('link', { name: 'support-agent', exact: true }).waitFor();
  await goTo(page, name);
  await page.getByText('No agent is deployed yet').waitFor();
  await page.getByRole('heading', { name: 'Last day' }).waitFor();
  await page.getByLabel('Traces with a LangSmith SDK', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Datasets' }).click();
  await page.getByRole('button', { name: 'New dataset' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Make it' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const path = `/datasets?name=${name}`;
  expect([await api(path, other()), await api(path)]).toMatchObject([[{ name }], []]);
  const { workspace } = await api<{ workspace: { name: string } }>('/v2/caller');
  await goTo(page, workspace.name);
  await page.getByRole('link', { name: 'support-agent', exact: true }).waitFor();
});
