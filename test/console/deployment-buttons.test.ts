import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';
import { PlayedListener } from './support/played-listener.ts';

/** What else one does to a deployment: rolling back by force, deleting with its traces, leaving an edit. */

const { signedIn } = useConsole();
const listener = useFixture(() => PlayedListener.open());

const SERVES = { phase: 'switch', outcome: 'done' } as const;
const named = (what: string) => `${what}-${randomUUID().slice(0, 6)}`;

interface Revision {
  readonly id: string;
  readonly number: number;
  readonly rollback_of: string | null;
}
const listRevisions = async (id: string) =>
  (await api<{ resources: readonly Revision[] }>(`/v2/deployments/${id}/revisions`)).resources;

async function serving(what: string, secrets: readonly { name: string; value: string }[] = []) {
  const name = named(what);
  const id = await listener().deploy(name, secrets);
  await listener().report(id, SERVES);
  return { id, name };
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();
const inDialog = (page: Page) => page.getByRole('dialog');

test('when an edit of the environment is discarded, then all is kept as it is', async () => {
  const { id } = await serving('discarded', [{ name: 'A', value: '1' }]);
  const page = await signedIn(`/console/deployments/${id}/environment`);
  await press(page, 'Remove A');
  await page.getByText('will be removed').waitFor();
  await press(page, 'Keep A');
  await press(page, 'Replace A');
  await page.getByLabel('New value of A').fill('another');
  await press(page, 'Add a variable');
  await press(page, 'Discard the changes');
  await page.getByText('kept as it is').waitFor();
  expect(await page.getByLabel('New value of A').count()).toBe(0);
  expect(await page.getByLabel('Name of the variable').count()).toBe(0);
  expect(await listRevisions(id)).toHaveLength(1);
});

test('when one rolls back though threads may not be read, then it is asked for by force', async () => {
  const { id } = await serving('forced');
  const [first] = await listRevisions(id);
  await api(`/v2/deployments/${id}/revisions`, { method: 'POST', body: {} });
  await listener().wantsRevision(id, 2);
  await listener().report(id, SERVES);
  const page = await signedIn(`/console/deployments/${id}`);
  const asked = page.waitForRequest((request) => request.url().includes(`/revisions/${first?.id}/redeploy`));
  await press(page, 'Roll back to revision 1');
  await inDialog(page)
    .getByLabel(/Also where its LangGraph does not read/)
    .check();
  await lookAt(page, 'rollback');
  await inDialog(page).getByRole('button', { name: 'Roll back' }).click();
  expect(new URL((await asked).url()).searchParams.get('force')).toBe('true');
  await page.getByRole('listitem', { name: 'Revision 3' }).getByText('like revision 1').waitFor();
  expect((await listRevisions(id))[0]).toMatchObject({ number: 3, rollback_of: first?.id });
});

test('when a deployment is deleted in its settings with its traces, then both are gone', async () => {
  const { id, name } = await serving('removed');
  const { tracer_session_id } = await api<{ tracer_session_id: string }>(`/v2/deployments/${id}`);
  const projects = () => api<{ id: string }[]>(`/sessions?id=${tracer_session_id}`);
  expect(await projects()).toHaveLength(1);
  const page = await signedIn(`/console/deployments/${id}/settings`);
  await press(page, `Delete ${name}`);
  await inDialog(page).getByLabel('Delete its traces, too').check();
  await inDialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL(/\/console\/deployments$/);
  await listener().letGo(id);
  await expect.poll(projects).toEqual([]);
  const { resources } = await api<{ resources: unknown[] }>(`/v2/deployments?name=${name}`);
  expect(resources).toEqual([]);
});

test('when an image is deployed, then a listener runs it, and its revision serves', async () => {
  const [name, image_uri] = [named('from-image'), 'registry.example.com/team/agent:1.0'];
  const page = await signedIn('/console/deployments/new?from=image');
  await page.getByLabel('Image').fill(image_uri);
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('agent');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Where it runs').selectOption(listener().id);
  await press(page, 'Deploy');
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const { resources } = await api<{ resources: { id: string }[] }>(`/v2/deployments?name=${name}`);
  const id = resources[0]?.id ?? '';
  expect(await api(`/v2/deployments/${id}`)).toMatchObject({
    source: 'external_image',
    source_config: { listener_id: listener().id },
    source_revision_config: { image_uri },
  });
  await listener().report(id, SERVES);
  await page.getByRole('listitem', { name: 'Revision 1' }).getByText('serves').waitFor();
  await api(`/v2/deployments/${id}?force=true`, { method: 'DELETE' });
  await listener().letGo(id);
});
