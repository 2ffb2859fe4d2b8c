import { expect, test } from 'vitest';
import { api, useConsole } from './support/console.ts';
import { makeFailingRuns } from './support/failing-runs.ts';

const { signedIn } = useConsole();

interface Deployment {
  readonly id: string;
  readonly name: string;
  readonly tracer_session_id: string;
  readonly active_revision_id: string;
}

test('when runs are of a revision, then it has its name and number, and a link from its switch', async () => {
  const { resources } = await api<{ resources: Deployment[] }>('/v2/deployments?name=approval-agent');
  const { id = '', name = '', tracer_session_id = '', active_revision_id = '' } = resources[0] ?? {};
  const path = `/v2/deployments/${id}/revisions/${active_revision_id}`;
  const { number } = await api<{ number: number }>(path);
  await makeFailingRuns({
    more: {
      session_name: undefined,
      session_id: tracer_session_id,
      extra: { metadata: { revision_id: active_revision_id } },
    },
  });
  const title = `${name}, revision ${number}`;
  const page = await signedIn(`/console/monitoring?project=${tracer_session_id}&period=7d&by=revision`);
  await page.clock.install();
  await page.reload();
  await page.getByRole('list', { name: 'Runs of each group' }).getByText(title).waitFor();
  await page.getByRole('region', { name: 'Revisions' }).getByRole('link', { name: title }).waitFor();
  const again = page.waitForRequest(/\/v2\/events\?.*to=DEPLOYED/);
  await page.clock.fastForward('00:31');
  await again;
  await page.getByRole('region', { name: 'Revisions' }).getByRole('link', { name: title }).click();
  await page.waitForURL(new RegExp(`/deployments/${id}/revisions/${active_revision_id}`));
  await page.getByRole('heading', { name: new RegExp(`Revision ${number}`) }).waitFor();
  expect(page.url()).toContain(active_revision_id);
});
