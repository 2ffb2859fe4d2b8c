import { expect, test } from 'vitest';
import { deploy, deployed, revisionsOf, startFixture } from '../testing/fixture.ts';

test('when a crash loop lasts, then the deployment shows it, and it is one event', async () => {
  await using fixture = await startFixture();
  const listener = fixture.listener();
  const { id } = await deployed(fixture, 'looping', listener);
  const params = { deployment_id: id };
  const shown = async () => (await fixture.client().readDeployment({ params })).status_reason;
  listener.beginAnew();
  const news = await listener.next(id);
  const trouble = { phase: 'switch' as const, code: 'crash_loop', message: 'Its hosts keep ending.' };
  for (const _ of [1, 2]) await listener.observe(news, { trouble });
  expect(await shown()).toMatchObject(trouble);
  await listener.observe(news, { trouble: null });
  expect(await shown()).toBeNull();
  const { items } = await fixture.client().listEvents({ query: params });
  expect(items.filter((one) => one.kind === 'deployment.trouble')).toMatchObject([{ detail: trouble }]);
});

test('when something of what serves has no effect, then the deployment says so', async () => {
  await using fixture = await startFixture();
  const listener = fixture.listener();
  const { id } = await deployed(fixture, 'plain', listener);
  const shown = async () => (await fixture.client().readDeployment({ params: { deployment_id: id } })).notes;
  expect(await shown()).toEqual([]);
  listener.beginAnew();
  const news = await listener.next(id);
  const notes = ['Without effect here: db_cpu. All deployments share a database server.'];
  await listener.observe(news, { notes });
  expect(await shown()).toEqual(notes);
  await listener.observe(news, {});
  expect(await shown()).toEqual([]);
});

test('when something keeps a revision in its phase, then the revision shows it while it lasts', async () => {
  await using fixture = await startFixture();
  const listener = fixture.listener();
  const { id } = await deploy(fixture, 'waiting');
  const news = await listener.next(id);
  const shown = async () => (await revisionsOf(fixture, id))[0];
  const at = { phase: 'start', outcome: 'running' } as const;
  const reason = {
    phase: 'start' as const,
    code: 'unschedulable',
    message: 'No node of the cluster takes the pod.',
    hint: 'This may pass.',
    log_tail: null,
  };
  await listener.observe(news, { ...at, reason });
  expect(await shown()).toMatchObject({ status: 'DEPLOYING', status_reason: reason });
  const changed = { ...reason, message: 'Nodes are not ready.' };
  await listener.observe(news, { ...at, reason: changed });
  expect(await shown()).toMatchObject({ status: 'DEPLOYING', status_reason: changed });
  await listener.observe(news, { ...at, reason: null });
  expect(await shown()).toMatchObject({ status: 'DEPLOYING', status_reason: null });
  await listener.observe(news, { ...at, reason });
  await listener.reach(news);
  expect(await shown()).toMatchObject({ status: 'DEPLOYED', status_reason: null });
});
