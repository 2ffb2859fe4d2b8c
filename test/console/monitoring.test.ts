import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { useFixture } from '@roadstead/testing';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';
import { makeFailingRuns } from './support/failing-runs.ts';

const { signedIn } = useConsole();

/** Calls of the webhook of an alert. */
const receiver = useFixture(async () => {
  const calls: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    calls.push({ url: request.url ?? '', headers: request.headers, body: await text(request) });
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alert`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
});

test('when a project has runs, then their figures are drawn, by kind as well', async () => {
  const { id, name } = await makeFailingRuns();
  const page = await signedIn(`/console/monitoring?project=${id}&period=1h`);
  const errors = page.getByRole('region', { name: 'Error rate' });
  await errors.getByText('33 %').waitFor();
  await page.getByRole('img', { name: 'Latency over time' }).waitFor();
  const further = page.getByRole('list', { name: 'Latency, further figures' }).getByRole('listitem');
  expect(await further.allTextContents()).toEqual([
    expect.stringMatching(/^p95 \d/),
    expect.stringMatching(/^p99 \d/),
  ]);
  expect(await page.getByLabel('Project', { exact: true }).locator('option:checked').textContent()).toBe(
    name,
  );
  await lookAt(page, 'monitoring');
  await page.getByLabel('Groups').selectOption('By kind of run');
  await page.waitForURL(/by=run_type/);
  await page.getByRole('region', { name: 'Runs', exact: true }).getByText('llm').first().waitFor();
});

test('when a period has no runs, then the page says how to send some', async () => {
  const page = await signedIn(`/console/monitoring?project=${(await makeFailingRuns()).id}&period=1h`);
  const { id } = await api<{ id: string }>('/api/v1/sessions', {
    method: 'POST',
    body: { name: `empty-${randomUUID()}` },
  });
  await page.goto(`${new URL(page.url()).origin}/console/monitoring?project=${id}`);
  await page.getByRole('heading', { name: 'No runs in this period' }).waitFor();
  expect(await page.getByText('LANGSMITH_ENDPOINT').isVisible()).toBe(true);
});

test('when an alert is made, then it fires, is tested, silenced, turned off and deleted', async () => {
  const { id, name } = await makeFailingRuns();
  const further = await makeFailingRuns();
  const page = await signedIn('/console/alerts');
  await page.getByRole('button', { name: 'New alert' }).click();
  const alert = `too many errors ${randomUUID().slice(0, 8)}`;
  await page.getByLabel('Name', { exact: true }).fill(alert);
  await page.getByLabel('Project', { exact: true }).selectOption(name);
  await page.getByLabel('Over the last').selectOption('1 hour');
  await page.getByLabel('Webhooks').fill(`${receiver().url}\n${receiver().url}?for=a,b`);
  await page.getByRole('button', { name: 'Create' }).click();
  const made = page.getByRole('dialog', { name: 'The secrets of its webhooks' });
  await made.waitFor();
  const secrets = await made.getByText(/^whsec_/).allTextContents();
  const [secret = ''] = secrets;
  await made.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('heading', { name: alert, level: 1 }).waitFor();
  await page.getByTitle('firing').waitFor({ timeout: 90_000 });
  await lookAt(page, 'alert');
  const alert_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const read = () =>
    api<{ muted_until: string | null; is_enabled: boolean; project_ids: string[] }>(`/v2/alerts/${alert_id}`);
  expect((await read()).project_ids).toEqual([id]);

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Threshold').fill('0.2');
  await page.getByLabel('Evaluations before it is over').fill('2');
  await page.getByLabel('Also tell where nothing').check();
  await page.getByLabel('Is over at').fill('0.1');
  await page.getByLabel('And', { exact: true }).selectOption(further.name);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('is changed.').waitFor();
  expect(await read()).toMatchObject({
    threshold: 0.2,
    resolve_threshold: 0.1,
    clears_to_resolve: 2,
    notify_no_data: true,
    project_ids: [id, further.id],
  });
  await page.getByText('at 10 %, after 2 evaluations').waitFor();
  await page.getByRole('listitem').filter({ hasText: name }).getByText('Traces of this window').click();
  await page.waitForURL(new RegExp(`/projects/${id}`));
  await page.getByRole('grid', { name: 'Runs' }).getByText('failed', { exact: true }).first().waitFor();
  await page.goBack();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('A test was sent').waitFor();
  await expect.poll(() => receiver().calls.length).toBeGreaterThan(0);
  const other = secrets.find((one) => one !== secret) ?? '';
  for (const { url, headers, body } of receiver().calls)
    expect(() =>
      new Webhook(url === '/alert' ? secret : other).verify(body, headers as Record<string, string>),
    ).not.toThrow();
  await page.getByRole('button', { name: 'Silence for an hour' }).click();
  await page.getByRole('button', { name: 'End the silence' }).waitFor();
  expect((await read()).muted_until).not.toBeNull();
  await page.getByText('Silenced until').waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Turn off' }).click();
  await expect.poll(async () => (await read()).is_enabled).toBe(false);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Turn on' }).click();
  await expect.poll(async () => (await read()).is_enabled).toBe(true);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Silence for a day' }).click();
  const until = async () => Date.parse((await read()).muted_until ?? '') - Date.now();
  await expect.poll(until).toBeGreaterThan(23 * 3_600_000);
  await page.getByRole('button', { name: 'End the silence' }).click();
  await expect.poll(async () => (await read()).muted_until).toBeNull();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL(/\/console\/alerts$/);
  await expect(read()).rejects.toThrow('404');
});
