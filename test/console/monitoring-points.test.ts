import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';
import { makeFailingRuns } from './support/failing-runs.ts';

const { signedIn } = useConsole();

/** Opens the figures of a chart, and follows the first one by keyboard. */
async function followFirst(page: Page, chart: string): Promise<string> {
  const region = page.getByRole('region', { name: chart, exact: true });
  await region.getByText('As a table').focus();
  await page.keyboard.press('Enter');
  const link = region.getByRole('link').first();
  await link.waitFor();
  const shown = (await link.textContent()) ?? '';
  await link.focus();
  await page.keyboard.press('Enter');
  return shown;
}

/** The buckets of 30 days. */
const BUCKET_MS = 21_600_000;

const DAY_MS = 86_400_000;

const searchOf = (page: Page) => new URL(page.url()).searchParams;

/** Makes projects with a run of two days ago, so that those of other stories stay newer; they are gone in the end. */
async function makeProjects(length: number): Promise<AsyncDisposable> {
  const post = Array.from({ length }, () => {
    const id = randomUUID();
    const start_time = new Date(Date.now() - 2 * DAY_MS).toISOString();
    const stamp = start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z');
    const dotted_order = `${stamp}${id}`;
    return {
      id,
      trace_id: id,
      dotted_order,
      session_name: `many-${id}`,
      name: 'a',
      run_type: 'chain',
      start_time,
    };
  });
  await api('/api/v1/runs/batch', { method: 'POST', body: { post, patch: [] } });
  return {
    [Symbol.asyncDispose]: async () => {
      const made = await api<{ id: string }[]>('/api/v1/sessions?name_contains=many-&limit=100');
      await Promise.all(made.map(({ id }) => api(`/api/v1/sessions/${id}`, { method: 'DELETE' })));
    },
  };
}

test('when a failed point of a group is followed, then its failed traces are shown', async () => {
  const { id } = await makeFailingRuns();
  const filter = encodeURIComponent('eq(name, "answer")');
  const page = await signedIn(
    `/console/monitoring?project=${id}&period=1h&by=run_type&runs=all&filter=${filter}`,
  );
  await followFirst(page, 'Error rate');
  await page.waitForURL(new RegExp(`/projects/${id}`));
  const search = searchOf(page);
  expect(search.get('filter')).toBe('and(eq(name, "answer"), and(eq(run_type, "llm"), eq(status, "error")))');
  expect(search.get('runs')).toBe('all');
  expect(Date.parse(search.get('to') ?? '') - Date.parse(search.get('from') ?? '')).toBeLessThan(60_000);
  const rows = page.getByRole('grid', { name: 'Runs' }).getByRole('row');
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.nth(1).textContent()).toContain('failed');
});

test('when runs name their model in their parameters, then a point of it leads to them', async () => {
  const model = `small "${randomUUID().slice(0, 8)}"`;
  const { id } = await makeFailingRuns({ more: { extra: { invocation_params: { model } } } });
  const page = await signedIn(`/console/monitoring?project=${id}&period=1h&by=model`);
  const runs = await followFirst(page, 'Runs');
  await page.waitForURL(new RegExp(`/projects/${id}`));
  expect(searchOf(page).get('filter')).toBe(`eq(model, ${JSON.stringify(model)})`);
  const rows = page.getByRole('grid', { name: 'Runs' }).getByRole('row');
  await expect.poll(() => rows.count()).toBe(Number(runs) + 1);
});

test('when a point is of all projects, then those with runs then are offered', async () => {
  const run_name = `step-${randomUUID().slice(0, 8)}`;
  const first = await makeFailingRuns({ run_name });
  const filter = encodeURIComponent(`eq(name, "${run_name}")`);
  const page = await signedIn(`/console/monitoring?period=1h&filter=${filter}`);
  await followFirst(page, 'Error rate');
  await page.waitForURL(new RegExp(`/projects/${first.id}`));

  const until_ms = Math.floor(Date.now() / BUCKET_MS) * BUCKET_MS;
  const step = `step-${randomUUID().slice(0, 8)}`;
  const second = await makeFailingRuns({ run_name: step, until_ms });
  await makeFailingRuns({ run_name: step, until_ms });
  const both = encodeURIComponent(`eq(name, "${step}")`);
  await page.goto(`${new URL(page.url()).origin}/console/monitoring?period=30d&filter=${both}`);
  const drawing = page.getByRole('img', { name: 'Error rate over time' });
  const { width = 0 } = (await drawing.locator('.u-over').boundingBox()) ?? {};
  await drawing.locator('.u-over').click({ position: { x: width - 1, y: 5 } });
  const offered = page.getByRole('list', { name: 'Projects of this point' }).getByRole('link');
  await expect.poll(() => offered.count()).toBe(2);
  await lookAt(page, 'monitoring-point');
  await page.getByRole('link', { name: second.name }).click();
  await page.waitForURL(new RegExp(`/projects/${second.id}`));
  expect(searchOf(page).get('filter')).toContain('eq(status, "error")');
  await expect
    .poll(() => page.getByRole('grid', { name: 'Runs' }).getByText('failed', { exact: true }).count())
    .toBe(10);
});

test('when an address names a project beyond those offered, then it is chosen by name', async () => {
  const { id, name } = await makeFailingRuns({ until_ms: Date.now() - 3 * DAY_MS });
  await using _others = await makeProjects(100);
  const page = await signedIn(`/console/monitoring?project=${id}&period=1h`);
  const field = page.getByLabel('Project', { exact: true });
  await expect.poll(() => field.locator('option:checked').textContent()).toBe(name);
  await field.selectOption('All projects');
  await expect.poll(() => field.getByText(name).count()).toBe(0);
  await page.getByRole('searchbox', { name: 'Project: find by name' }).fill(name);
  await field.selectOption(name);
  await page.waitForURL(new RegExp(`project=${id}`));
});
