import { expect, test } from 'vitest';
import { deployed, startFixture } from '../testing/fixture.ts';

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
