import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { FakeListener } from '../testing/fake-listener.ts';
import {
  createRequest,
  deploy,
  deployed,
  LISTENER_ID,
  OTHER_WORKSPACE,
  push,
  revisionsOf,
  startFixture,
  until,
  upload,
} from '../testing/fixture.ts';

import type { Queryable } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { listAssignments } from './assignment-answer.ts';
import { takeLease } from '../records/instance-store.ts';

const fixture = useFixturePerTest(startFixture);
const client = () => fixture().client();

test('when a listener restarts, then it has the lease, and its earlier process is refused', async () => {
  const old = fixture().listener();
  const { id } = await deploy(fixture(), 'taken');
  const news = await old.next(id);
  await old.observe(news, { phase: 'build', outcome: 'running' });
  const young = fixture().listener();
  const [again] = await young.poll();
  expect(young.fence).toBe(old.fence + 1);
  expect(again).toMatchObject({
    deployment_id: id,
    generation: news.generation,
    revision: { id: news.revision?.id },
  });
  // A value sealed in the earlier process is opened in the present one.
  expect(news.sealing_keys).toHaveLength(1);
  expect(again?.sealing_keys).toEqual(news.sealing_keys);
  await expect(old.observe(news)).rejects.toMatchObject({ status: 409 });
  await expect(old.poll()).rejects.toMatchObject({ status: 409 });
  expect((await revisionsOf(fixture(), id))[0]).toMatchObject({ status: 'BUILDING' });
  await young.reach(again ?? news);
  expect((await revisionsOf(fixture(), id))[0]).toMatchObject({ status: 'DEPLOYED' });
});

test('when a lease is being taken over, then reports of the earlier process are refused', async () => {
  const old = fixture().listener();
  const { id } = await deploy(fixture(), 'taken');
  const news = await old.next(id);
  const [taken, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const taking = fixture().db.transaction(async (tx) => {
    await takeLease(tx, { listener_id: LISTENER_ID, instance: '' }, {});
    taken.resolve();
    await go.promise;
  });
  await taken.promise;
  const statusOf = (word: Promise<unknown>) =>
    word.then(
      () => 'taken',
      (error: unknown) => (error as { status?: number }).status,
    );
  const words = [old.observe(news), old.log(news, 'late')].map(statusOf);
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  try {
    await until(
      async () => (await fixture().db.query(waiting)).length === words.length,
      'waiting for the lease',
    );
  } finally {
    go.resolve();
    await taking;
  }
  expect(await Promise.all(words)).toEqual([409, 409]);
  expect((await revisionsOf(fixture(), id))[0]).toMatchObject({ status: 'AWAITING_BUILD' });
});

test('when a poll waits, then news wakes it', async () => {
  const listener = fixture().listener();
  await listener.poll();
  // It was woken: otherwise it would wait out its 20 s, and the test with it.
  const poll = listener.poll(20);
  const { id } = await deploy(fixture(), 'waited');
  expect((await poll).map((one) => one.deployment_id)).toEqual([id]);
  expect(await listener.poll(0)).toEqual([]);
});

test('when one instance assigns, then a poll at another finds it; a poll ends with its service', async () => {
  const another = await fixture().startAnother();
  const through = async (request: Request) =>
    another.served.fetch(request, await fixture().identity.edge.inward(request.headers, 'control-plane'));
  const listener = new FakeListener({
    client: fixture().clientWith('rs_listener', through),
    listener_id: LISTENER_ID,
    fetch: through,
  });
  await listener.poll();
  const poll = listener.poll(20);
  const { id } = await deploy(fixture(), 'elsewhere');
  expect((await poll)[0]?.deployment_id).toBe(id);
  const idle = listener.poll(25);
  await another[Symbol.asyncDispose]();
  expect(await idle).toEqual([]);
});

test('when a poll names a generation that was never drawn, then it is told to begin again', async () => {
  const listener = fixture().listener();
  await listener.poll();
  const poll = (query: object) =>
    listener.client.readAssignments({ params: { listener_id: LISTENER_ID }, query });
  await expect(poll({ since: 999, fence: listener.fence })).rejects.toMatchObject({ status: 409 });
  await expect(poll({ since: 1 })).rejects.toMatchObject({ status: 409 });
  await expect(poll({ since: 0, fence: listener.fence })).resolves.toMatchObject({ fence: listener.fence });
  await expect(poll({ since: 0, wait_s: 26 })).rejects.toMatchObject({ status: 422 });
});

test('when observations are late, repeated or made up, then they change nothing', async () => {
  const listener = fixture().listener();
  const { id } = await deployed(fixture(), 'stubborn', listener);
  const first = listener.desired.get(id);
  await push(fixture(), id, 'second');
  const second = await listener.next(id);
  if (first === undefined) throw new Error('There was no first one.');
  const before = await snapshot(id);
  expect(await listener.observe(first, { hosts: 0 })).toBe(second.generation);
  expect(await snapshot(id)).toEqual(before);
  await listener.observe(second, { revision_id: first.revision?.id ?? null });
  expect((await revisionsOf(fixture(), id))[0]).toMatchObject({ status: 'AWAITING_BUILD' });
  await expect(listener.observe({ ...second, generation: 9999 })).rejects.toMatchObject({ status: 400 });
  await expect(
    listener.observe(second, {
      phase: 'build',
      artifact: { kind: 'folder', digest: `sha256:${'0'.repeat(64)}` },
    }),
  ).rejects.toMatchObject({ status: 400 });
  await listener.reach(second);
  const done = await snapshot(id);
  await listener.observe(second, { phase: 'health', outcome: 'failed', hosts: 1 });
  await listener.observe(second, { phase: 'build', outcome: 'running', hosts: 1 });
  expect(await snapshot(id)).toEqual(done);
});

async function snapshot(id: string) {
  const deployment = await client().readDeployment({ params: { deployment_id: id } });
  const statuses = (await revisionsOf(fixture(), id)).map((one) => [one.number, one.status, one.phases]);
  return { active: deployment.active_revision_id, status: deployment.status, statuses };
}

test('when the serving revision has trouble, then that becomes one event', async () => {
  const listener = fixture().listener();
  const { id, active_revision_id } = await deployed(fixture(), 'sick', listener);
  await fixture().restart();
  const young = fixture().listener();
  const [news] = await young.poll();
  expect(news).toMatchObject({ revision: null, active: { id: active_revision_id } });
  expect((await client().readDeployment({ params: { deployment_id: id } })).status).toBe('UNUSED');
  const reason = { phase: 'start' as const, code: 'crashed', message: 'It ended.' };
  for (const _ of [1, 2])
    if (news !== undefined) await young.observe(news, { phase: 'start', outcome: 'failed', reason });
  const { items } = await client().listEvents({ query: { deployment_id: id } });
  expect(items.filter((one) => one.kind === 'deployment.trouble')).toMatchObject([
    { revision_id: active_revision_id, detail: { phase: 'start', code: 'crashed', message: reason.message } },
  ]);
});

test('when a revision changes while an assignment is read, then the assignment is of one moment', async () => {
  const listener = fixture().listener();
  const { id } = await deploy(fixture(), 'moment');
  const news = await listener.next(id);
  const db: Queryable = {
    ...fixture().db,
    query: async <T extends object>(text: string, values?: readonly unknown[]) => {
      const rows = await fixture().db.query<T>(text, values);
      if ((await revisionsOf(fixture(), id))[0]?.status !== 'DEPLOYED') await listener.reach(news);
      return rows;
    },
  };
  const context = {
    public_url: '',
    blob_addresses: { sign: () => '' },
    secret_box: { keysFor: () => [] },
  } as unknown as Context;
  const [seen] = await listAssignments(context, db, { listener_id: LISTENER_ID, instance: '', since: 0 });
  expect(seen).toMatchObject({ revision: { id: news.revision?.id }, active: null });
});

test('when everything is restarted, then the work goes on where it was', async () => {
  const created = await client().createDeployment({ body: createRequest('durable') });
  await fixture().restart();
  const source_tarball_path = await upload(fixture(), created.id);
  await fixture().restart();
  await client().patchDeployment({
    params: { deployment_id: created.id },
    body: { source_revision_config: { source_tarball_path } },
  });
  await fixture().restart();
  const listener = fixture().listener();
  const news = await listener.next(created.id);
  await listener.observe(news, { phase: 'install', outcome: 'running' });
  await fixture().restart();
  expect(await fixture().service.isListening()).toBe(false);
  const young = fixture().listener();
  await young.reach(await young.next(created.id));
  expect(await fixture().service.isListening()).toBe(true);
  expect((await revisionsOf(fixture(), created.id))[0]).toMatchObject({ status: 'DEPLOYED' });
  const { keys } = await fixture().db.one<{ keys: number }>('select count(key_id) as keys from deployments');
  expect(keys).toBe(1);
});

test('when several instances share the work, then everything is made once', async () => {
  await fixture().startAnother();
  await fixture().startAnother();
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  const listener = fixture().listener();
  const made = await Promise.all(names.map((name) => deploy(fixture(), name, name)));
  const news = new Map<string, Awaited<ReturnType<FakeListener['next']>>>();
  await until(async () => {
    for (const one of await listener.poll(1)) {
      expect(news.has(one.deployment_id)).toBe(false);
      news.set(one.deployment_id, one);
    }
    return news.size === names.length;
  }, 'assignment of all');
  expect(new Set([...news.values()].map((one) => one.generation)).size).toBe(names.length);
  await Promise.all([...news.values()].map((one) => listener.reach(one)));
  expect(fixture().observability.projects.size).toBe(names.length);
  for (const { id } of made) {
    const rows = await fixture().db.query(
      `select from_status, to_status from events where deployment_id = $1 and kind = 'revision.status'`,
      [id],
    );
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length);
  }
  const { keys } = await fixture().db.one<{ keys: number }>(
    'select count(distinct key_id) as keys from deployments',
  );
  expect(keys).toBe(names.length);
});

test('when observability is away, then the revision waits; an experiment of its name fails it', async () => {
  fixture().observability.is_away = true;
  const { id } = await deploy(fixture(), 'patient');
  const waiting = await until(async () => {
    const [latest] = await revisionsOf(fixture(), id);
    return latest?.status_reason?.code === 'tracing_unavailable' && latest;
  }, 'waiting');
  expect(waiting.status).toBe('CREATING');
  fixture().observability.is_away = false;
  const listener = fixture().listener();
  await listener.reach(await listener.next(id));

  const client = fixture().observability.clientOf('11111111-1111-4111-8111-111111111111');
  await client.createSession({ body: { name: 'taken-name', reference_dataset_id: id } });
  const failed = await deploy(fixture(), 'taken-name');
  const [revision] = await until(async () => {
    const found = await revisionsOf(fixture(), failed.id);
    return found[0]?.status === 'CREATE_FAILED' && found;
  }, 'failure');
  expect(revision?.status_reason).toMatchObject({ code: 'name_is_an_experiment', phase: 'queue' });
  fixture().observability.projects.clear();
  await push(fixture(), failed.id, 'again');
  expect((await listener.next(failed.id)).revision).toMatchObject({ number: 3 });
});

test('when a key was made without being recorded, then it is replaced', async () => {
  const { id } = await client().createDeployment({ body: createRequest('orphan') });
  await until(
    async () =>
      (await fixture().db.query('select id from deployments where key_id is not null')).length === 1,
  );
  await fixture().db.run('update deployments set key_id = null, key_sealed = null');
  await push(fixture(), id, 'source');
  await fixture().listener().next(id);
  const { items } = await listKeys(id);
  const { key_id } = await fixture().db.one<{ key_id: string }>('select key_id from deployments');
  expect(items.map((one) => one.id)).toEqual([key_id]);
});

async function listKeys(deployment_id: string): Promise<{ items: { id: string }[] }> {
  const headers = new Headers({ 'x-api-key': 'rs_admin_11111111-1111-4111-8111-111111111111' });
  const answer = await fixture().identity.served.fetch(
    new Request(`http://identity/v2/api-keys?deployment_id=${deployment_id}`),
    await fixture().identity.edge.inward(headers, 'identity'),
  );
  return (await answer.json()) as { items: { id: string }[] };
}

test('when somebody else polls for a listener, then it is refused, and callers see the listener', async () => {
  const { resources } = await fixture().client(OTHER_WORKSPACE).listListeners({});
  expect(resources).toMatchObject([
    { id: LISTENER_ID, compute_type: 'process', capabilities: ['archive'], last_seen_at: null },
  ]);
  const params = { listener_id: LISTENER_ID };
  const poll = (key: string) =>
    fixture()
      .clientWith(key)
      .readAssignments({ params, query: { since: 0 } });
  await expect(poll('rs_admin_11111111-1111-4111-8111-111111111111')).rejects.toMatchObject({ status: 403 });
  await fixture().identity.ensureKey({
    workspace_id: OTHER_WORKSPACE,
    name: 'remote',
    scopes: ['listener'],
    key: 'rs_remote',
  });
  await expect(poll('rs_remote')).rejects.toMatchObject({ status: 404 });
  await fixture()
    .listener()
    .client.readAssignments({ params, query: { since: 0, version: '1.2.3', isolation: 'user' } });
  expect(await client().readListener({ params })).toMatchObject({
    version: '1.2.3',
    isolation: 'user',
  });
  await expect(client().readListener({ params: { listener_id: OTHER_WORKSPACE } })).rejects.toMatchObject({
    status: 404,
  });
});
