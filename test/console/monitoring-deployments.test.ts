import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';
import { makeFailingRuns } from './support/failing-runs.ts';

const { signedIn } = useConsole();

interface Deployment {
  readonly id: string;
  readonly name: string;
  readonly tracer_session_id: string;
}

async function readServing(name: string): Promise<Deployment> {
  const { resources } = await api<{ resources: Deployment[] }>(`/v2/deployments?name=${name}`);
  const [found] = resources;
  if (found === undefined) throw new Error(`There is no deployment ${name}.`);
  return found;
}

const runsOf = (page: Awaited<ReturnType<typeof signedIn>>) =>
  page.getByRole('region', { name: 'Runs', exact: true });

test('when a deployment is chosen, then figures, revisions and traces are its own', async () => {
  const [own, other] = await Promise.all([readServing('approval-agent'), readServing('support-agent')]);
  const run_name = `step-${randomUUID().slice(0, 8)}`;
  for (const { tracer_session_id } of [own, other])
    await makeFailingRuns({
      run_name,
      more: { session_name: undefined, session_id: tracer_session_id },
    });
  const filter = encodeURIComponent(`eq(name, "${run_name}")`);
  const page = await signedIn(`/console/monitoring?period=1d&filter=${filter}`);
  await runsOf(page).getByText('60', { exact: true }).first().waitFor();
  const revisions = page.getByRole('region', { name: 'Revisions' });
  // The page shows the newest of many, of any deployment.
  const others = revisions.getByRole('link').filter({ hasNotText: own.name });
  await others.first().waitFor();

  await page.getByLabel('Deployment', { exact: true }).selectOption(own.name);
  await page.waitForURL(new RegExp(`deployment=${own.id}`));
  await runsOf(page).getByText('30', { exact: true }).first().waitFor();
  const { series } = await api<{ series: { total: { runs: number } }[] }>('/v2/series/query', {
    method: 'POST',
    body: {
      start_time: new Date(Date.now() - 86_400_000).toISOString(),
      end_time: new Date().toISOString(),
      project_ids: [own.tracer_session_id],
      filter: decodeURIComponent(filter),
    },
  });
  expect(series[0]?.total.runs).toBe(30);
  await expect.poll(() => others.count()).toBe(0);
  for (const title of await revisions.getByRole('link').allTextContents()) expect(title).toContain(own.name);
  const project = page.getByLabel('Project', { exact: true });
  await expect.poll(() => project.locator('option:checked').textContent()).toBe(own.name);
  await lookAt(page, 'monitoring-deployment');

  await runsOf(page).getByText('As a table').click();
  await runsOf(page).getByRole('link').first().click();
  await page.waitForURL(new RegExp(`/projects/${own.tracer_session_id}`));
  expect(new URL(page.url()).searchParams.get('filter')).toBe(`eq(name, "${run_name}")`);
  const rows = page.getByRole('grid', { name: 'Runs' }).getByRole('row');
  await expect.poll(() => rows.getByText(run_name).count()).toBeGreaterThan(0);
});

test('when one comes from a deployment and chooses a project, then the address says which', async () => {
  const own = await readServing('approval-agent');
  const { id, name } = await makeFailingRuns();
  const page = await signedIn(`/console/deployments/${own.id}`);
  await page.locator('#content').getByRole('link', { name: 'Monitoring' }).click();
  await page.waitForURL(new RegExp(`deployment=${own.id}`));
  const deployment = page.getByLabel('Deployment', { exact: true });
  await expect.poll(() => deployment.locator('option:checked').textContent()).toBe(own.name);
  await page.getByLabel('Groups').selectOption('By revision');
  await page.waitForURL(/by=revision/);
  expect(page.url()).toContain(`deployment=${own.id}`);
  expect(page.url()).not.toContain('project=');
  await page.getByLabel('Project', { exact: true }).selectOption(name);
  await page.waitForURL(new RegExp(`project=${id}`));
  expect(page.url()).not.toContain('deployment=');
  await expect.poll(() => deployment.locator('option:checked').textContent()).toBe('Any or none');
});

test('when a deployment is gone, then the page says so', async () => {
  const page = await signedIn(`/console/monitoring?deployment=${randomUUID()}`);
  await page.getByRole('alert').getByRole('heading', { name: 'There is nothing here' }).waitFor();
  expect(await runsOf(page).count()).toBe(0);
});
