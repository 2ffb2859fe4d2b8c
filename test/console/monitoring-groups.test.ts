import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { api, lookAt, useConsole } from './support/console.ts';
import { makeFailingRuns } from './support/failing-runs.ts';

const { signedIn } = useConsole();

test('when runs are grouped and filtered, then each group has its p95 and its feedback', async () => {
  const { id } = await makeFailingRuns();
  const [run] = (
    await api<{ runs: { id: string; trace_id: string }[] }>('/api/v1/runs/query', {
      method: 'POST',
      body: { session: [id], limit: 1 },
    })
  ).runs;
  await api('/api/v1/feedback', {
    method: 'POST',
    body: { id: randomUUID(), run_id: run?.id, trace_id: run?.trace_id, key: 'quality', score: 0.75 },
  });
  const page = await signedIn(`/console/monitoring?project=${id}&period=1d&by=run_type`);
  const feedback = page.getByRole('list', { name: 'Feedback: quality of each group' });
  await feedback.getByText('0.75').waitFor();
  const latency = page.getByRole('list', { name: 'Latency of each group' });
  const p50 = await latency.textContent();
  await page.getByLabel('Latency of groups').selectOption('p95');
  await page.waitForURL(/percentile=p95/);
  await expect.poll(() => latency.textContent()).not.toBe(p50);
  await lookAt(page, 'monitoring-groups');
  await page.goto(`${page.url()}&filter=${encodeURIComponent('eq(status, "error")')}`);
  await page.getByRole('region', { name: 'Error rate' }).getByText('100 %').first().waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.getByRole('region', { name: 'Error rate' }).getByText('33 %').first().waitFor();
});
