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
