import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { deploy, deployed, push, revisionsOf, startFixture, until } from './testing/fixture.ts';

const fixture = useFixturePerTest(startFixture);
const client = () => fixture().client();

test('when a newer revision comes, then it takes the place of one that is being built', async () => {
  const listener = fixture().listener();
  const { id } = await deploy(fixture(), 'hangs', 'one');
  const hung = await listener.next(id);
  await listener.observe(hung, { phase: 'build', outcome: 'running' });
  await push(fixture(), id, 'two');
  const next = await listener.next(id);
  expect(next.revision).toMatchObject({ number: 3 });
  const [newest, replaced] = await revisionsOf(fixture(), id);
  expect(replaced).toMatchObject({
    number: 2,
    status: 'SKIPPED',
    superseded_by: newest?.id,
    status_reason: { phase: 'build', code: 'superseded' },
  });
  // A late report about its build changes nothing.
  await listener.observe(hung, { phase: 'switch', outcome: 'done' });
  expect((await revisionsOf(fixture(), id))[1]).toEqual(replaced);
  await listener.reach(next);
});

test('when revisions queue, then one is started, the newest waits, and those between are skipped', async () => {
  const listener = fixture().listener();
  const { id } = await deploy(fixture(), 'busy', 'one');
  const running = await listener.next(id);
  await listener.observe(running, { phase: 'start', outcome: 'running' });
  for (const content of ['two', 'three', 'four']) await push(fixture(), id, content);
  const revisions = await until(async () => {
    const found = await revisionsOf(fixture(), id);
    return (
      found[0]?.status === 'QUEUED' &&
      found[1]?.status === 'SKIPPED' &&
      found[2]?.status === 'SKIPPED' &&
      found
    );
  }, 'queueing');
  expect(revisions.map((one) => [one.number, one.status])).toEqual([
    [5, 'QUEUED'],
    [4, 'SKIPPED'],
    [3, 'SKIPPED'],
    [2, 'DEPLOYING'],
    [1, 'SKIPPED'],
  ]);
  expect(revisions[0]?.status_reason).toMatchObject({ code: 'behind_revision' });
  expect(revisions[1]?.superseded_by).toBe(revisions[0]?.id);
  expect(await listener.poll()).toEqual([]);
  await listener.reach(running);
  expect((await listener.next(id)).revision).toMatchObject({ number: 5 });
});

test('when a revision fails, then it names phase and reason, and what served goes on serving', async () => {
  const listener = fixture().listener();
  const before = await deployed(fixture(), 'fails', listener);
  await push(fixture(), before.id, 'broken');
  const news = await listener.next(before.id);
  const reason = {
    phase: 'install' as const,
    code: 'install_failed',
    message: 'npm ci failed.',
    hint: 'Commit a lock file.',
    log_tail: Array.from({ length: 80 }, (_, index) => `line ${index}`),
  };
  for (const _ of [1, 2]) await listener.observe(news, { phase: 'install', outcome: 'failed', reason });
  const [failed] = await revisionsOf(fixture(), before.id);
  await listener.observe(news, { phase: 'start', outcome: 'running' });
  expect((await revisionsOf(fixture(), before.id))[0]).toEqual(failed);
  expect(failed).toMatchObject({
    status: 'BUILD_FAILED',
    status_reason: { phase: 'install', code: 'install_failed' },
  });
  expect(failed?.status_reason?.log_tail).toHaveLength(50);
  const after = await client().readDeployment({ params: { deployment_id: before.id } });
  expect(after).toMatchObject({
    status: 'UNUSED',
    active_revision_id: before.active_revision_id,
    latest_revision_id: failed?.id,
  });
  await push(fixture(), before.id, 'mended');
  await listener.reach(await listener.next(before.id));
  expect((await revisionsOf(fixture(), before.id))[0]).toMatchObject({ number: 4, status: 'DEPLOYED' });
});
