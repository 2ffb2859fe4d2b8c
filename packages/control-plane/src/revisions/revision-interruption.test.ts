import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import type { ApiError } from '@roadstead/contracts';
import type { Assignment, RevisionStatus } from '@roadstead/contracts/control-plane';
import { deploy, deployed, push, revisionsOf, startFixture, until } from '../testing/fixture.ts';

/** A revision is interrupted at any stage; the revision that served keeps serving, and the listener is informed. */

const fixture = useFixture(startFixture);
const client = () => fixture().client();
const listener = useFixture(() => fixture().listener());
beforeAll(() => listener().poll());

const interrupt = (deployment_id: string, revision_id: string) =>
  client().interruptRevision({ params: { deployment_id, revision_id } });
const newest = async (id: string) => {
  const [revision] = await revisionsOf(fixture(), id);
  if (revision === undefined) throw new Error('There is no revision.');
  return revision;
};
const reaches = (id: string, status: RevisionStatus) =>
  until(async () => (await newest(id)).status === status, status);

/** The progress of a revision, and how it gets there. */
const stages: readonly (readonly [
  status: RevisionStatus,
  phase: string,
  bring: (news: Assignment) => Promise<unknown>,
])[] = [
  ['AWAITING_BUILD', 'queue', async () => undefined],
  ['BUILDING', 'source', (news) => listener().observe(news, { phase: 'source', outcome: 'running' })],
  ['BUILDING', 'install', (news) => listener().observe(news, { phase: 'install', outcome: 'running' })],
  ['BUILDING', 'build', (news) => listener().observe(news, { phase: 'build', outcome: 'running' })],
  ['DEPLOYING', 'start', (news) => listener().observe(news, { phase: 'start', outcome: 'running' })],
  ['DEPLOYING', 'health', (news) => listener().observe(news, { phase: 'health', outcome: 'running' })],
  ['DEPLOYING', 'switch', (news) => listener().observe(news, { phase: 'switch', outcome: 'running' })],
];

test.each(stages)(
  'when a revision that is %s is interrupted in phase %s, then what served goes on serving',
  async (status, phase, bring) => {
    const before = await deployed(fixture(), `served-${phase}`, listener());
    const { id } = before;
    await push(fixture(), id, `newer ${phase}`);
    const news = await listener().next(id, ({ revision }) => revision !== null);
    await bring(news);
    const revision = await newest(id);
    expect(revision.status).toBe(status);
    const interrupted = await interrupt(id, revision.id);
    expect(interrupted).toMatchObject({
      id: revision.id,
      status: 'INTERRUPTED',
      status_reason: { phase, code: 'interrupted' },
    });
    expect(interrupted.phases.every(({ ended_at }) => ended_at !== null)).toBe(true);
    const after = await listener().next(id);
    expect(after).toMatchObject({
      revision: null,
      active: { id: before.active_revision_id },
      removed: false,
    });
    expect(after.generation).toBeGreaterThan(news.generation);
    // A late report of the listener changes nothing, and neither does a repeated one.
    expect(await listener().observe(news, { phase: 'switch', outcome: 'done' })).toBe(after.generation);
    const params = { deployment_id: id, revision_id: revision.id };
    expect(await client().interruptRevisionAlias({ params })).toEqual(interrupted);
    expect(await client().readDeployment({ params })).toMatchObject({
      active_revision_id: before.active_revision_id,
      latest_revision_id: revision.id,
    });
    await push(fixture(), id, `mended ${phase}`);
    await listener().reach(await listener().next(id, (next) => next.revision !== null));
    expect(await newest(id)).toMatchObject({ number: 4, status: 'DEPLOYED' });
  },
);

test('when a revision that waits for its source is interrupted, then no listener hears of it', async () => {
  const { id, active_revision_id } = await deployed(fixture(), 'waits', listener());
  const created = await client().createDeployment({ body: { ...request, name: 'waits-for-its-source' } });
  const revision = await newest(created.id);
  expect(await interrupt(created.id, revision.id)).toMatchObject({ status: 'INTERRUPTED' });
  expect(await listener().poll()).toEqual([]);
  await push(fixture(), created.id, 'it came');
  await listener().reach(await listener().next(created.id, (news) => news.revision !== null));
  expect(await newest(created.id)).toMatchObject({ number: 2, status: 'DEPLOYED' });
  expect(await client().readDeployment({ params: { deployment_id: id } })).toMatchObject({
    active_revision_id,
  });
});

const request = {
  source: 'internal_source' as const,
  source_config: {},
  source_revision_config: { langgraph_config_path: 'langgraph.json' },
  secrets: [],
};

test('when a queued revision is interrupted, then the one before it goes on', async () => {
  const { id } = await deploy(fixture(), 'queued', 'one');
  const running = await listener().next(id, ({ revision }) => revision !== null);
  await listener().observe(running, { phase: 'start', outcome: 'running' });
  await push(fixture(), id, 'two');
  await reaches(id, 'QUEUED');
  const queued = await newest(id);
  expect(await interrupt(id, queued.id)).toMatchObject({ status: 'INTERRUPTED' });
  await listener().reach(running);
  const [second, first] = await revisionsOf(fixture(), id);
  expect([second?.status, first?.status]).toEqual(['INTERRUPTED', 'DEPLOYED']);
});

test('when the first revision ever is interrupted, then nothing is to run', async () => {
  const { id } = await deploy(fixture(), 'first');
  const news = await listener().next(id, ({ revision }) => revision !== null);
  await listener().observe(news, { phase: 'health', outcome: 'running', hosts: 1 });
  await interrupt(id, (await newest(id)).id);
  expect(await listener().next(id)).toMatchObject({ revision: null, active: null, removed: false });
});

test('when a revision is interrupted, then the next in the queue gets its turn', async () => {
  const { id } = await deploy(fixture(), 'turn', 'one');
  const running = await listener().next(id, ({ revision }) => revision !== null);
  await listener().observe(running, { phase: 'start', outcome: 'running' });
  const first = await newest(id);
  await push(fixture(), id, 'two');
  await reaches(id, 'QUEUED');
  await interrupt(id, first.id);
  const next = await listener().next(
    id,
    ({ revision }) => revision?.id !== undefined && revision.id !== first.id,
  );
  await listener().reach(next);
  expect(await newest(id)).toMatchObject({ number: 3, status: 'DEPLOYED' });
});

test('when a revision has ended otherwise, then interrupting it is 409; an unknown one is 404', async () => {
  const { id, active_revision_id } = await deployed(fixture(), 'ended', listener());
  const [, skipped] = await revisionsOf(fixture(), id);
  await expect(interrupt(id, active_revision_id ?? '')).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('has ended as DEPLOYED') as string,
  });
  await expect(interrupt(id, skipped?.id ?? '')).rejects.toMatchObject({ status: 409 });
  await expect(interrupt(id, id)).rejects.toMatchObject({ status: 404 });
  await client().deleteDeployment({ params: { deployment_id: id } });
  await expect(interrupt(id, active_revision_id ?? '')).rejects.toMatchObject({ status: 409 });
});

test('when an interruption meets the end of the revision, then everybody hears the one outcome', async () => {
  const { id, ...begun } = await deployed(fixture(), 'raced', listener());
  let active = begun.active_revision_id;
  for (let round = 0; round < 12; round += 1) {
    await push(fixture(), id, `round ${round}`);
    const news = await listener().next(id, ({ revision }) => revision !== null);
    const artifact = await listener().build(news);
    const { id: revision_id } = await newest(id);
    const asks = () =>
      interrupt(id, revision_id).then(
        ({ status }) => status,
        (error: ApiError) => error.status,
      );
    const reports = () => listener().observe(news, { phase: 'switch', outcome: 'done', artifact });
    // The two take turns in being first, so that both outcomes occur.
    const [asked] =
      round % 2 === 0
        ? await Promise.all([asks(), reports()])
        : (await Promise.all([reports(), asks()])).toReversed();
    const { status } = await newest(id);
    const after = await client().readDeployment({ params: { deployment_id: id } });
    const isInterrupted = status === 'INTERRUPTED';
    expect([status, asked]).toEqual(isInterrupted ? ['INTERRUPTED', 'INTERRUPTED'] : ['DEPLOYED', 409]);
    expect(after.active_revision_id).toBe(isInterrupted ? active : revision_id);
    active = after.active_revision_id;
  }
});
