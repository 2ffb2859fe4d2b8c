import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import {
  createRequest,
  deploy,
  deployed,
  push,
  revisionsOf,
  startFixture,
  until,
  upload,
  WORKSPACE,
} from './testing/fixture.ts';

const fixture = useFixturePerTest(startFixture);
const client = () => fixture().client();

test('when a deployment gets a source, then it goes through all phases to DEPLOYED', async () => {
  const client = fixture().client();
  const listener = fixture().listener();
  await listener.poll();
  const created = await client.createDeployment({ body: createRequest('story') });
  const params = { deployment_id: created.id };
  expect(created).toMatchObject({ status: 'AWAITING_DATABASE', active_revision_id: null, url: null });
  const first = await client.readRevision({
    params: { ...params, revision_id: created.latest_revision_id ?? '' },
  });
  expect(first).toMatchObject({ number: 1, status: 'CREATING', status_reason: { code: 'awaiting_source' } });

  const source_tarball_path = await upload(fixture(), created.id);
  const patched = await client.patchDeployment({
    params,
    body: { source_revision_config: { source_tarball_path }, secrets: [] },
  });
  expect(patched.latest_revision_id).not.toBe(created.latest_revision_id);

  const news = await listener.next(created.id);
  expect(news).toMatchObject({ name: 'story', slug: 'story', removed: false, active: null });
  expect(news.revision).toMatchObject({
    number: 2,
    artifact: null,
    config: { langgraph_config_path: 'langgraph.json' },
  });
  expect(await revisionsOf(fixture(), created.id)).toMatchObject([
    { number: 2, status: 'AWAITING_BUILD' },
    { number: 1, status: 'SKIPPED', superseded_by: patched.latest_revision_id },
  ]);

  await listener.observe(news, { phase: 'install', outcome: 'running', database_ready: false });
  expect((await revisionsOf(fixture(), created.id))[0]).toMatchObject({ status: 'BUILDING' });
  await listener.reach(news);
  const done = await client.readDeployment({ params });
  expect(done).toMatchObject({
    status: 'READY',
    active_revision_id: patched.latest_revision_id,
    url: 'http://roadstead.test/agents/story',
    source_config: { custom_url: 'http://roadstead.test/agents/story' },
    tracer_session_id: [...fixture().observability.projects.values()][0]?.id,
  });
  const [second] = await revisionsOf(fixture(), created.id);
  expect(second).toMatchObject({ status: 'DEPLOYED', status_reason: null });
  expect(second?.artifact_digest).toMatch(/^sha256:/);
  expect(second?.phases.map((phase) => phase.phase)).toEqual([
    'queue',
    'install',
    'build',
    'start',
    'health',
    'switch',
  ]);
  expect(second?.phases.every((phase) => phase.ended_at !== null)).toBe(true);
});

test('when nothing was ever deployed, then the status is UNUSED once the database is there', async () => {
  const listener = fixture().listener();
  const { id } = await deploy(fixture(), 'never');
  const status = async () => (await client().readDeployment({ params: { deployment_id: id } })).status;
  const news = await listener.next(id);
  expect(await status()).toBe('AWAITING_DATABASE');
  await listener.observe(news, { phase: 'build', outcome: 'running' });
  expect(await status()).toBe('UNUSED');
  await listener.observe(news, { phase: 'health', outcome: 'running', hosts: 1 });
  expect(await status()).toBe('UNUSED');
  await listener.observe(news, { phase: 'health', outcome: 'failed' });
  expect(await status()).toBe('UNUSED');
});

test('when no graph host runs, then it is UNUSED, and UNKNOWN once the lease has ended', async () => {
  const listener = fixture().listener();
  const { id } = await deployed(fixture(), 'idle', listener);
  const status = async () => (await client().readDeployment({ params: { deployment_id: id } })).status;
  expect(await status()).toBe('READY');
  const state = listener.desired.get(id);
  if (state === undefined) throw new Error('The listener knows nothing of it.');
  await listener.observe(state, { hosts: 0 });
  expect(await status()).toBe('UNUSED');
  const list = async (wanted: 'UNUSED' | 'UNKNOWN') =>
    (await client().listDeployments({ query: { status: wanted } })).resources.map((one) => one.id);
  expect(await list('UNUSED')).toEqual([id]);
  expect(await fixture().service.ready()).toBe(true);
  await fixture().db.run(`update listeners set lease_expires_at = now() - interval '1 second'`);
  expect(await status()).toBe('UNKNOWN');
  expect(await list('UNUSED')).toEqual([]);
  expect(await list('UNKNOWN')).toEqual([id]);
  expect(await fixture().service.ready()).toBe(false);
});

test('when the same source is deployed in the same way, then it is not built again anywhere', async () => {
  const listener = fixture().listener();
  const { id, source_revision_config } = await deployed(fixture(), 'first', listener);
  await client().patchDeployment({
    params: { deployment_id: id },
    body: { secrets: [{ name: 'A', value: '1' }] },
  });
  const again = await listener.next(id);
  expect(again.revision).toMatchObject({
    number: 3,
    source: null,
    artifact: { kind: 'folder', url: expect.stringContaining('/v2/blobs/') as string },
  });
  expect(again.active).toMatchObject({ number: 2 });
  expect((await revisionsOf(fixture(), id))[0]).toMatchObject({
    status: 'AWAITING_DEPLOY',
    source_tarball_path: source_revision_config['source_tarball_path'],
  });
  const copy = await deploy(fixture(), 'second');
  expect((await listener.next(copy.id)).revision?.artifact).not.toBeNull();
  await client().patchDeployment({
    params: { deployment_id: copy.id },
    body: {
      source_config: { build_command: 'npm run build' },
      source_revision_config: { langgraph_config_path: 'a/langgraph.json' },
    },
  });
  await listener.reach(listener.desired.get(copy.id) ?? again);
  expect((await listener.next(copy.id)).revision).toMatchObject({
    artifact: null,
    config: { build_command: 'npm run build' },
  });
});

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

test('when the bytes of an artifact are lost, then the same source is built once more', async () => {
  const listener = fixture().listener();
  const { id } = await deployed(fixture(), 'lost', listener);
  const [first] = await revisionsOf(fixture(), id);
  await fixture().blobs.delete(first?.artifact_digest ?? '');
  await push(fixture(), id, 'source');
  const { revision } = await listener.next(id, (news) => news.revision !== null);
  expect(revision).toMatchObject({
    artifact: null,
    source: { kind: 'archive', url: expect.any(String) as string },
  });
});

test('when a deployment is rolled back, then artifact, configuration and environment are the old', async () => {
  const listener = fixture().listener();
  const client = fixture().client();
  const { id } = await deployed(fixture(), 'back', listener);
  const params = { deployment_id: id };
  await client.patchDeployment({ params, body: { secrets: [{ name: 'GREETING', value: 'first' }] } });
  await listener.reach(await listener.next(id));
  const [old] = await revisionsOf(fixture(), id);
  const tarball = await upload(fixture(), id, 'newer');
  await client.patchDeployment({
    params,
    body: {
      secrets: [{ name: 'GREETING', value: 'second' }],
      source_revision_config: { source_tarball_path: tarball },
    },
  });
  await listener.reach(await listener.next(id));
  const rolled = await client.redeployRevision({ params: { ...params, revision_id: old?.id ?? '' } });
  const news = await listener.next(id);
  expect(news.revision).toMatchObject({
    number: 5,
    source: null,
    artifact: { digest: old?.artifact_digest },
  });
  expect(await listener.environment(id, news.revision?.id ?? '')).toMatchObject({ GREETING: 'first' });
  await listener.reach(news);
  expect(await client.readDeployment({ params })).toMatchObject({
    latest_revision_id: rolled.latest_revision_id,
    active_revision_id: rolled.latest_revision_id,
    source_revision_config: { source_tarball_path: old?.source_tarball_path },
  });
  const [newest, second, , first] = await revisionsOf(fixture(), id);
  expect(newest).toMatchObject({
    rollback_of: old?.id,
    trigger: { kind: 'redeploy' },
    secret_names: ['GREETING'],
    environment_version: old?.environment_version,
  });
  expect(second?.environment_version).not.toBe(old?.environment_version);
  expect(first?.secret_names).toEqual([]);
  const unbuilt = (await revisionsOf(fixture(), id)).at(-1);
  await expect(
    client.redeployRevision({ params: { ...params, revision_id: unbuilt?.id ?? '' } }),
  ).rejects.toMatchObject({ status: 400 });
});

test('when an older LangGraph does not read the threads, then a rollback to it must be forced', async () => {
  const listener = fixture().listener();
  const client = fixture().client();
  const { id } = await deployed(fixture(), 'differences', listener);
  const params = { deployment_id: id };
  const newer = async (manifest: object) => {
    const tarball = await upload(fixture(), id, JSON.stringify(manifest));
    await client.patchDeployment({
      params,
      body: { source_revision_config: { source_tarball_path: tarball } },
    });
    await listener.reach(await listener.next(id), manifest);
    const [revision] = await revisionsOf(fixture(), id);
    return revision?.id ?? '';
  };
  const [, old] = [await newer({}), await newer({ langgraph_version: '1.4.18' })];
  const back = (revision_id: string, query = {}) =>
    client.redeployRevision({ params: { ...params, revision_id }, query });
  const reads = await newer({ langgraph_version: '1.5.1' });
  // Nothing is stored in that format yet.
  await back(old);
  await listener.reach(await listener.next(id), { langgraph_version: '1.4.18' });
  await newer({ langgraph_version: '1.7.3', stores_deltas: true });
  await expect(back(old)).rejects.toMatchObject({
    status: 409,
    message: expect.stringMatching(
      /@langchain\/langgraph 1\.4\.18 of this revision does not read/,
    ) as unknown,
  });
  expect(await client.readDeployment({ params })).toMatchObject({ status: 'READY' });
  await back(reads);
  await listener.reach(await listener.next(id), { langgraph_version: '1.5.1' });
  const forced = await back(old, { force: 'true' });
  await listener.reach(await listener.next(id), { langgraph_version: '1.4.18' });
  expect(await client.readDeployment({ params })).toMatchObject({
    active_revision_id: forced.latest_revision_id,
  });
});

test('when the environment is read, then only the holder of the lease has it in clear', async () => {
  const listener = fixture().listener();
  const client = fixture().client();
  const created = await client.createDeployment({
    body: {
      ...createRequest('env'),
      secrets: [
        { name: 'ONE', value: '1' },
        { name: 'TWO', value: '2' },
      ],
    },
  });
  expect(created.secrets).toEqual([
    { name: 'ONE', value: '********' },
    { name: 'TWO', value: '********' },
  ]);
  await push(fixture(), created.id, 'source');
  const news = await listener.next(created.id);
  const id = news.revision?.id ?? '';
  const environment = await listener.environment(created.id, id);
  expect(environment).toMatchObject({
    ONE: '1',
    TWO: '2',
    LANGSMITH_TRACING: 'true',
    LANGSMITH_ENDPOINT: 'http://roadstead.test/api',
    LANGSMITH_PROJECT: 'env',
    LANGSMITH_WORKSPACE_ID: WORKSPACE,
  });
  const key = environment['LANGSMITH_API_KEY'] ?? '';
  const inward = await fixture().identity.edge.inward(new Headers({ 'x-api-key': key }), 'observability');
  expect(inward.assertion).toBeDefined();
  const { items } = await keysOf(created.id);
  expect(items).toMatchObject([
    { scopes: ['traces:write', 'prompts:read', 'connections:use'], deployment_id: created.id },
  ]);

  const later = fixture().listener();
  await later.poll();
  await expect(listener.environment(created.id, id)).rejects.toMatchObject({ status: 409 });
  await expect(later.environment(created.id, created.latest_revision_id ?? '')).rejects.toMatchObject({
    status: 404,
  });
  await fixture().db.run(`update listeners set lease_expires_at = now()`);
  await expect(later.environment(created.id, id)).rejects.toMatchObject({ status: 409 });

  await client.patchDeployment({
    params: { deployment_id: created.id },
    body: {
      secrets: [
        { name: 'TWO', value: '********' },
        { name: 'THREE', value: '3' },
      ],
    },
  });
  await later.poll();
  await later.reach(later.desired.get(created.id) ?? news);
  const next = await later.next(created.id, (one) => one.revision !== null);
  const changed = await later.environment(created.id, next.revision?.id ?? '');
  expect(changed).toMatchObject({ TWO: '2', THREE: '3' });
  expect(changed).not.toHaveProperty('ONE');
  await client.deleteSecret({ params: { deployment_id: created.id, name: 'TWO' } });
  expect(
    (await client.readDeployment({ params: { deployment_id: created.id } })).secrets.map((one) => one.name),
  ).toEqual(['THREE']);
  expect((await revisionsOf(fixture(), created.id))[0]).toMatchObject({ trigger: { kind: 'secret' } });
});

async function keysOf(deployment_id: string) {
  const answer = await fixture().identity.served.fetch(
    new Request(`http://identity/v2/api-keys?deployment_id=${deployment_id}`),
    await fixture().identity.edge.inward(new Headers({ 'x-api-key': `rs_admin_${WORKSPACE}` }), 'identity'),
  );
  return (await answer.json()) as { items: unknown[] };
}

test('when a deployment is deleted, then it stops, frees its name, and leaves the bin in time', async () => {
  const listener = fixture().listener();
  const client = fixture().client();
  const { id } = await deployed(fixture(), 'short-lived', listener);
  const params = { deployment_id: id };
  await push(fixture(), id, 'late');
  const late = await listener.next(id);
  await client.deleteDeployment({ params, query: { delete_tracing_project: 'true' } });
  await client.deleteDeployment({ params });
  expect(await client.readDeployment({ params })).toMatchObject({ status: 'AWAITING_DELETE' });
  expect((await revisionsOf(fixture(), id))[0]).toMatchObject({ status: 'INTERRUPTED' });
  await expect(client.patchDeployment({ params, body: {} })).rejects.toMatchObject({ status: 409 });
  await expect(client.createDeployment({ body: createRequest('short-lived') })).rejects.toMatchObject({
    status: 409,
  });
  const removal = await listener.next(id);
  expect(removal).toMatchObject({ removed: true, purge: false, revision: null, active: null });
  expect(await listener.observe(late, { phase: 'switch', outcome: 'done' })).toBe(removal.generation);
  await listener.reach(removal);
  await until(async () => (await client.listDeployments({})).resources.length === 0, 'deletion');
  await expect(client.readDeployment({ params })).rejects.toMatchObject({ status: 404 });
  await expect(client.deleteDeployment({ params })).rejects.toMatchObject({ status: 404 });
  expect((await client.listDeployments({ query: { status: 'deleted' } })).resources).toMatchObject([{ id }]);
  expect((await keysOf(id)).items).toEqual([]);
  await until(async () => fixture().observability.projects.size === 0, 'deletion of the tracing project');

  const namesake = await client.createDeployment({ body: createRequest('short-lived') });
  expect(namesake.id).not.toBe(id);
  await client.deleteDeployment({ params, query: { force: 'true' } });
  const purge = await listener.next(id);
  expect(purge).toMatchObject({ removed: true, purge: true });
  await listener.reach(purge);
  await until(
    async () => (await client.listDeployments({ query: { status: 'deleted' } })).resources.length === 0,
    'erasure',
  );
  expect(await fixture().db.query('select id from revisions where deployment_id = $1', [id])).toEqual([]);
  const { items } = await client.listEvents({ query: { deployment_id: id, page_size: 1 } });
  expect(items).toMatchObject([{ kind: 'deployment.erased' }]);
});

test('when a deployment was never put to a listener, then it is deleted without one', async () => {
  const client = fixture().client();
  const { id } = await client.createDeployment({ body: createRequest('unborn') });
  await client.deleteDeployment({ params: { deployment_id: id }, query: { force: 'true' } });
  await expect.poll(() => fixture().db.query('select id from deployments')).toEqual([]);
});
