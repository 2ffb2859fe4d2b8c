import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '@roadstead/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { api, lookAt, platform, useConsole } from './support/console.ts';
import { PlayedListener } from './support/played-listener.ts';

/** Fields that choose one of many: a workspace has more than a hundred of each, and the one that is meant is beyond them. */

const { signedIn } = useConsole();

const MANY = 100;
const LAST = 'zebra';
const DAY_MS = 86_400_000;

interface Thing {
  readonly id: string;
  readonly name: string;
}

let listener: PlayedListener;
let workspace: { readonly id: string; readonly key: string };
let last: Readonly<Record<'project' | 'dataset' | 'queue' | 'deployment', Thing>>;

const own = <T = unknown>(path: string, body?: unknown) =>
  api<T>(path, { method: body === undefined ? 'GET' : 'POST', body, key: workspace.key });
const open = (path: string) => signedIn(`/console/${path}`, { key: workspace.key });
const others = Array.from({ length: MANY }, (_, index) => `many-${String(index).padStart(3, '0')}`);

/** A run that ended as a trace of its own. */
function endedRun(session_name: string, start_ms: number) {
  const id = randomUUID();
  const start_time = new Date(start_ms).toISOString();
  const stamp = start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z');
  const times = { start_time, end_time: new Date(start_ms + 100).toISOString() };
  const what = { name: 'answer', run_type: 'chain', inputs: { word: 'a' }, outputs: { word: 'b' } };
  return { id, trace_id: id, dotted_order: `${stamp}${id}`, session_name, ...times, ...what };
}

async function makeProjects(): Promise<Thing> {
  const post = [...others.map((name) => endedRun(name, Date.now())), endedRun(LAST, Date.now() - DAY_MS / 2)];
  await own('/runs/batch', { post, patch: [] });
  return eventually(async () => {
    const [found] = await own<Thing[]>(`/sessions?name=${LAST}`);
    if (found === undefined) throw new Error(`There is no project ${LAST}.`);
    return found;
  });
}

async function makeEach(make: (name: string) => Promise<Thing>): Promise<Thing> {
  for (const name of others) await make(name);
  return make(LAST);
}

/** Deployments whose first revisions wait; the one that is made first is beyond the newest hundred. */
async function makeDeployments(): Promise<Thing> {
  const id = await listener.deploy(LAST);
  for (const name of others) await listener.deploy(name);
  return { id, name: LAST };
}

beforeAll(async () => {
  workspace = await api('/v2/workspaces', { method: 'POST', body: { name: 'choices' } });
  listener = await PlayedListener.open(workspace.key);
  const project = await makeProjects();
  const [dataset, queue, deployment] = await Promise.all([
    makeEach((name) => own('/datasets', { name })),
    makeEach((name) => own('/annotation-queues', { name })),
    makeDeployments(),
  ]);
  last = { project, dataset, queue, deployment };
}, 300_000);
afterAll(async () => {
  // A listener stays as long as one of its deployments is on its way out.
  await eventually(
    async () => {
      await listener[Symbol.asyncDispose]();
      await api(`/v2/workspaces/${workspace.id}?force=true`, { method: 'DELETE' });
    },
    { within_ms: 120_000 },
  );
}, 180_000);

/** Chooses the one beyond the hundred that are offered: it is found by its name. */
async function chooseLast(within: Page | Locator, label: string, noun: keyof typeof last): Promise<void> {
  const field = within.getByLabel(label, { exact: true });
  await field.getByRole('option', { name: 'many-050' }).waitFor({ state: 'attached' });
  expect(await field.getByRole('option', { name: LAST }).count()).toBe(0);
  const search = within.getByRole('searchbox', { name: `${label}: find by name` });
  await search.fill('eb');
  await search.press('Enter');
  await field.selectOption({ label: LAST });
  expect(await field.inputValue()).toBe(last[noun].id);
  await search.fill('');
  await expect.poll(() => field.locator('option:checked').textContent()).toBe(LAST);
}

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true }).click();
async function submit(page: Page, name: string): Promise<void> {
  await press(dialog(page), name);
  await dialog(page).waitFor({ state: 'detached' });
}

test('when there are many deployments, then monitoring finds one by its name', async () => {
  const page = await open('monitoring?period=1h');
  await chooseLast(page, 'Deployment', 'deployment');
  await page.waitForURL(new RegExp(`deployment=${last.deployment.id}`));
  const project = page.getByLabel('Project', { exact: true });
  await expect.poll(() => project.inputValue()).toBe(last.project.id);
  await lookAt(page, 'monitoring-choices');
  await page.reload();
  const deployment = page.getByLabel('Deployment', { exact: true });
  await expect.poll(() => deployment.locator('option:checked').textContent()).toBe(LAST);
});

test('when a rule is made, then project, dataset and queue are found by their names', async () => {
  const page = await open('settings/rules');
  await press(page, 'New rule');
  await dialog(page).getByLabel('Name', { exact: true }).fill('to the last');
  await chooseLast(dialog(page), 'Runs of the project', 'project');
  await chooseLast(dialog(page), 'Add it to a dataset', 'dataset');
  await chooseLast(dialog(page), 'Put it into an annotation queue', 'queue');
  await lookAt(page);
  await submit(page, 'Make the rule');
  expect(await own('/runs/rules')).toMatchObject([
    {
      session_id: last.project.id,
      add_to_dataset_id: last.dataset.id,
      add_to_annotation_queue_id: last.queue.id,
    },
  ]);
});

test('when a queue is made and filled, then its dataset and a project are found by their names', async () => {
  const page = await open('queues');
  await press(page, 'New queue');
  await dialog(page).getByLabel('Name', { exact: true }).fill('a first');
  await chooseLast(dialog(page), 'Dataset', 'dataset');
  await submit(page, 'Make it');
  await page.getByRole('heading', { name: 'a first', level: 1 }).waitFor();
  const [made] = await own<{ id: string; default_dataset: string }[]>('/annotation-queues?name=a+first');
  expect(made?.default_dataset).toBe(last.dataset.id);
  await press(page, 'Actions on the queue');
  await page.getByRole('menuitem', { name: 'Fill' }).click();
  await chooseLast(dialog(page), 'Project', 'project');
  await submit(page, 'Put them in');
  expect(await own(`/annotation-queues/${made?.id}/size`)).toEqual({ size: 1 });
});

test('when runs are marked, then a dataset and a queue for them are found by their names', async () => {
  const page = await open(`projects/${last.project.id}`);
  const mark = page.getByRole('checkbox', { name: /^Select answer/ });
  await mark.check();
  await press(page, 'Add to dataset');
  await chooseLast(dialog(page), 'Dataset', 'dataset');
  await submit(page, 'Add');
  await page.getByText(`1 run added to ${LAST}.`).waitFor();
  expect(await own(`/examples?dataset=${last.dataset.id}`)).toMatchObject([{ inputs: { word: 'a' } }]);
  await press(page, 'Add to annotation queue');
  await chooseLast(dialog(page), 'Annotation queue', 'queue');
  await submit(page, 'Add');
  await expect.poll(() => own(`/annotation-queues/${last.queue.id}/size`)).toEqual({ size: 1 });
});

test('when a run is reviewed, then the dataset of its example is found by its name', async () => {
  const { id } = await own<Thing>('/annotation-queues', { name: 'a review' });
  const { runs } = await own<{ runs: Thing[] }>('/runs/query', { session: [last.project.id], limit: 1 });
  await own(`/annotation-queues/${id}/runs`, [runs[0]?.id]);
  const before = await own<unknown[]>(`/examples?dataset=${last.dataset.id}`);
  const page = await open(`queues/${id}`);
  await page.getByRole('button', { name: 'Add to a dataset' }).click();
  await chooseLast(dialog(page), 'Dataset', 'dataset');
  await submit(page, 'Add the example');
  await page.getByText(`Added an example to ${LAST}.`).waitFor();
  expect(await own(`/examples?dataset=${last.dataset.id}`)).toHaveLength(before.length + 1);
});

test('when a model runs over a dataset, then that is found by its name', async () => {
  const { id } = await own<Thing>('/v2/model-providers', {
    name: 'models',
    kind: 'openai',
    base_url: platform.url,
    api_key: 'none',
  });
  await own('/examples', { dataset_id: last.dataset.id, inputs: { who: 'Ada' } });
  const page = await open(`playground?provider=${id}&model=any`);
  await page.getByLabel('Text of message 1').fill('Hello {{who}}');
  await press(page, 'Run over a dataset');
  await chooseLast(dialog(page), 'Dataset', 'dataset');
  await submit(page, 'Start the experiment');
  const path = `/v2/playground/experiments?dataset_id=${last.dataset.id}`;
  await expect.poll(async () => (await own<{ items: unknown[] }>(path)).items.length).toBe(1);
});

test('when an alert is made, then its project is found by its name', async () => {
  const page = await open('alerts');
  await press(page, 'New alert');
  await dialog(page).getByLabel('Name', { exact: true }).fill('of the last');
  await chooseLast(dialog(page), 'Project', 'project');
  await press(dialog(page), 'Create');
  await page.getByRole('heading', { name: 'of the last', level: 1 }).waitFor();
  const { items } = await own<{ items: { project_ids: string[] }[] }>('/v2/alerts');
  expect(items).toMatchObject([{ project_ids: [last.project.id] }]);
});

test('when a deployment has many revisions, then its first one is compared with', async () => {
  const path = `/v2/deployments/${last.deployment.id}`;
  for (const value of others.slice(0, 31))
    await api(path, { method: 'PATCH', body: { secrets: [{ name: 'WORD', value }] }, key: workspace.key });
  const { latest_revision_id } = await own<{ latest_revision_id: string }>(path);
  const { resources } = await own<{ resources: { id: string; number: number }[] }>(
    `${path}/revisions?limit=100`,
  );
  expect(resources).toHaveLength(32);
  const page = await open(`deployments/${last.deployment.id}/revisions/${latest_revision_id}`);
  await page.getByLabel('Compare with').selectOption({ label: 'Revision 1' });
  const first = resources.find(({ number }) => number === 1)?.id ?? '';
  await page.waitForURL(new RegExp(`against=${first}`));
});

test('when an alert has a filter, then names are completed and a mistake is marked', async () => {
  const page = await open('alerts');
  await press(page, 'New alert');
  await dialog(page).getByLabel('Name', { exact: true }).fill('filtered');
  const filter = dialog(page).getByRole('textbox', { name: 'Only runs that match' });
  await filter.pressSequentially('eq(run_typ, "llm")');
  await dialog(page).locator('.cm-lintRange-error').waitFor();
  await filter.press('Control+Space');
  await page.getByRole('listbox', { name: 'Completions' }).waitFor();
  // It closes the list, and not the dialog with all that was entered.
  await filter.press('Escape');
  await page.getByRole('listbox', { name: 'Completions' }).waitFor({ state: 'detached' });
  await lookAt(page);
  await press(dialog(page), 'Create');
  await dialog(page)
    .getByRole('alert')
    .getByText(/Did you mean .run_type/)
    .waitFor();
  await filter.press('Control+a');
  await filter.pressSequentially('eq(mod');
  await page.getByRole('option', { name: /^model/ }).click();
  await filter.pressSequentially('"a")');
  await dialog(page).locator('.cm-lintRange-error').waitFor({ state: 'detached' });
  await press(dialog(page), 'Create');
  await page.getByRole('heading', { name: 'filtered', level: 1 }).waitFor();
  const { items } = await own<{ items: { name: string; filter: string }[] }>('/v2/alerts');
  expect(items.find(({ name }) => name === 'filtered')?.filter).toBe('eq(model, "a")');
});
