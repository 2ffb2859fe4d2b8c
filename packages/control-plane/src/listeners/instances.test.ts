import type { Assignment } from '@roadstead/contracts/control-plane';
import { ALL_WORKSPACES } from '@roadstead/contracts';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { FakeListener } from '../testing/fake-listener.ts';
import { deploy, WORKSPACE, startFixture } from '../testing/fixture.ts';

const fixture = useFixturePerTest(startFixture);

const instance = (name: string): FakeListener =>
  fixture().listener({ instance: { instance: name, address: `http://${name}.example:4190` } });

/** Deploys, and lets the instance that is dealt it reach it; answers who that was. */
async function served(name: string, among: readonly FakeListener[]): Promise<[FakeListener, Assignment]> {
  const { id } = await deploy(fixture(), name);
  for (let turn = 0; turn < 100; turn += 1)
    for (const one of among) {
      const news = (await one.poll()).find(
        ({ deployment_id, revision }) => deployment_id === id && revision !== null,
      );
      if (news === undefined) continue;
      await one.reach(news);
      return [one, news];
    }
  throw new Error('No instance got it.');
}

const end = (name: string) =>
  fixture().db.run(`update listener_instances set lease_expires_at = now() where name = $1`, [name]);

const places = async (version?: string) => {
  const url = `http://roadstead.test/v2/control-plane/places${version === undefined ? '' : `?version=${version}`}`;
  const principal = { workspace_id: ALL_WORKSPACES, actor: 'service:edge', scopes: [] };
  const answer = await fixture().service.served.fetch(new Request(url), fixture().signedAs(principal));
  return (await answer.json()) as {
    version: string;
    places: { slug: string; address: string }[] | null;
  };
};

test('when a listener has two instances, then each has half of its deployments, and only its own', async () => {
  const [a, b] = [instance('a'), instance('b')];
  await a.poll();
  await b.poll();
  const holders = new Map<string, FakeListener>();
  for (const name of ['one', 'two', 'three', 'four']) {
    const [holder, news] = await served(name, [a, b]);
    expect(news.hold).toBe('run');
    holders.set(news.deployment_id, holder);
  }
  expect([...holders.values()].filter((one) => one === a)).toHaveLength(2);
  expect([a.others, b.others]).toEqual([1, 1]);
  for (const [id, holder] of holders) {
    const other = holder === a ? b : a;
    const news = holder.desired.get(id);
    if (news === undefined) throw new Error('It was dealt to nobody.');
    expect(other.desired.has(id)).toBe(false);
    await expect(other.observe({ ...news, fence: other.fence })).rejects.toMatchObject({ status: 409 });
  }
});

test('when an instance dies, then the other has its deployments, and reports of the dead one are refused', async () => {
  const a = instance('a');
  await a.poll();
  const [, news] = await served('one', [a]);
  const b = instance('b');
  await b.poll();
  await end('a');
  const taken = await b.next(news.deployment_id);
  expect(taken).toMatchObject({ hold: 'run', active: { id: news.revision?.id } });
  expect(taken.fence).toBeGreaterThan(news.fence);
  const conflict = { status: 409 };
  await expect(a.observe(news)).rejects.toMatchObject(conflict);
  await expect(a.log(news, 'late')).rejects.toMatchObject(conflict);
  await b.observe(taken, { hosts: 1 });
  // It learns what it lost by beginning anew.
  await expect(a.poll()).rejects.toMatchObject(conflict);
  a.beginAnew();
  expect((await a.poll()).map(({ deployment_id }) => deployment_id)).toEqual([]);
});

test('when the control plane was away for longer than a lease, then each keeps what it has', async () => {
  const [a, b] = [instance('a'), instance('b')];
  await a.poll();
  await b.poll();
  const [holder, news] = await served('one', [a, b]);
  const other = holder === a ? b : a;
  const late = `lease_expires_at - interval '50 seconds'`;
  for (const table of ['listeners', 'listener_instances'])
    await fixture().db.run(`update ${table} set lease_expires_at = ${late}`);
  expect(await other.poll()).toEqual([]);
  await holder.observe(news, { hosts: 1 });
  expect(await holder.poll()).toEqual([]);
});

test('when a listener elsewhere says where it is, then no edge is led there', async () => {
  const a = instance('a');
  await a.poll();
  await served('one', [a]);
  await fixture().db.run('update listeners set workspace_id = $1', [WORKSPACE]);
  expect(await places()).toMatchObject({ places: [], data_planes: [] });
});

test('when an instance drains, then another one prepares, it releases, and then the other one runs', async () => {
  const [a, b] = [instance('a'), instance('b')];
  await a.poll();
  const [, news] = await served('one', [a]);
  await b.poll();
  a.instance_state = 'draining';
  await a.poll();
  const coming = await b.next(news.deployment_id, ({ hold }) => hold === 'prepare');
  await expect(b.observe(coming)).rejects.toMatchObject({ status: 409 });
  expect((await a.poll()).some(({ hold }) => hold === 'release')).toBe(false);
  await b.handOver(coming, 'prepared');
  const going = await a.next(news.deployment_id, ({ hold }) => hold === 'release');
  expect((await places()).places).toEqual([expect.objectContaining({ address: 'http://a.example:4190' })]);
  await a.handOver(going, 'released');
  const here = await b.next(news.deployment_id, ({ hold }) => hold === 'run');
  await b.observe(here, { hosts: 1 });
  await expect(a.handOver(going, 'released')).rejects.toMatchObject({ status: 409 });
  const { version, places: after } = await places();
  expect(after).toEqual([expect.objectContaining({ address: 'http://b.example:4190' })]);
  expect((await places(version)).places).toBeNull();
  // With nobody beside it, it has it to its end, and leaves it to whoever comes.
  b.instance_state = 'draining';
  await b.poll();
  expect([b.others, b.desired.get(news.deployment_id)?.hold]).toEqual([0, 'run']);
  b.instance_state = 'left';
  await b.poll();
  const c = instance('c');
  expect((await c.poll()).map(({ hold }) => hold)).toEqual(['run']);
});

test('when an instance joins, then it takes half over, a few at a time, and what was dealt to it stays', async () => {
  const a = instance('a');
  await a.poll();
  for (const name of ['one', 'two', 'three']) await served(name, [a]);
  const b = instance('b');
  const coming = (await b.poll()).filter(({ hold }) => hold === 'prepare');
  expect(coming).toHaveLength(1);
  await b.handOver(coming[0] as Assignment, 'prepared');
  const going = await a.next(coming[0]?.deployment_id ?? '', ({ hold }) => hold === 'release');
  await a.handOver(going, 'released');
  await b.next(going.deployment_id, ({ hold }) => hold === 'run');
  // Back to the one that had it first: by a fence that neither had.
  await end('b');
  const back = await a.next(going.deployment_id, ({ hold }) => hold === 'run');
  expect(back.fence).toBeGreaterThan(going.fence);
  await a.observe(back, { hosts: 1 });
});

test('when anybody but the edge asks where agents are, then it is refused', async () => {
  const principal = { workspace_id: WORKSPACE, actor: 'service:control-plane', scopes: ['admin' as const] };
  const url = 'http://roadstead.test/v2/control-plane/places';
  const answer = await fixture().service.served.fetch(new Request(url), fixture().signedAs(principal));
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('Only the edge')]);
});

test.each(['A', 'a b', '-a', '', 'a'.repeat(64)])(
  'when an instance is named %j, then it is refused',
  async (name) => {
    await expect(instance(name).poll()).rejects.toMatchObject({ status: 422 });
  },
);
