import type { Assignment } from '@roadstead/contracts/control-plane';
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
import type { FakeListener } from './testing/fake-listener.ts';

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
  expect(await fixture().service.isListening()).toBe(true);
  for (const table of ['listeners', 'listener_instances'])
    await fixture().db.run(`update ${table} set lease_expires_at = now() - interval '1 second'`);
  expect(await status()).toBe('UNKNOWN');
  expect(await list('UNUSED')).toEqual([]);
  expect(await list('UNKNOWN')).toEqual([id]);
  expect(await fixture().service.isListening()).toBe(false);
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
  await fixture().db.run(`update listener_instances set lease_expires_at = now()`);
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
  const next = await revisionAfter(later, news);
  const changed = await later.environment(created.id, next.revision?.id ?? '');
  expect(changed).toMatchObject({ TWO: '2', THREE: '3' });
  expect(changed).not.toHaveProperty('ONE');
  await client.deleteSecret({ params: { deployment_id: created.id, name: 'TWO' } });
  expect(
    (await client.readDeployment({ params: { deployment_id: created.id } })).secrets.map((one) => one.name),
  ).toEqual(['THREE']);
  expect((await revisionsOf(fixture(), created.id))[0]).toMatchObject({ trigger: { kind: 'secret' } });
});

/** What a listener is told of the revision after one; where that one is not over yet, it reaches it first. */
async function revisionAfter(listener: FakeListener, before: Assignment): Promise<Assignment> {
  const isLater = ({ revision }: Assignment) => revision !== null && revision.id !== before.revision?.id;
  await listener.poll();
  const told = listener.desired.get(before.deployment_id) ?? before;
  if (isLater(told)) return told;
  await listener.reach(told);
  return listener.next(before.deployment_id, isLater);
}

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
