import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { FakeListener } from '../testing/fake-listener.ts';
import {
  createRequest,
  LISTENER_ID,
  OTHER_WORKSPACE,
  startFixture,
  until,
  WORKSPACE,
} from '../testing/fixture.ts';

const fixture = useFixturePerTest(startFixture);

const asked = (compute_id: string, more: object = {}) => ({
  compute_type: 'process' as const,
  compute_id,
  compute_config: {},
  ...more,
});
const listenerOf = ({ id, key }: { id: string; key: string }) =>
  new FakeListener({ client: fixture().clientWith(key), listener_id: id, fetch: fixture().fetch });

test('when a listener is registered, then its key reaches this listener only', async () => {
  const client = fixture().client();
  const created = await client.createListener({ body: asked('berlin', { version: '1.0' }) });
  const { key, ...listener } = created;
  expect(listener).toMatchObject({
    compute_id: 'berlin',
    version: '1.0',
    capabilities: [],
    last_seen_at: null,
  });
  const params = { listener_id: created.id };
  expect(await client.readListener({ params })).toEqual(listener);
  const second = await client.createListener({ body: asked('paris') });
  await listenerOf(created).poll(0, ['archive']);
  expect((await client.readListener({ params })).last_seen_at).not.toBeNull();
  for (const id of [second.id, LISTENER_ID])
    await expect(listenerOf({ id, key }).poll()).rejects.toMatchObject({ status: 404 });
  await expect(listenerOf({ id: created.id, key: second.key }).poll()).rejects.toMatchObject({ status: 404 });
  await expect(fixture().clientWith(key).listDeployments({})).rejects.toMatchObject({ status: 403 });
  // The platform’s own listener does not reach it either.
  await expect(listenerOf({ id: created.id, key: 'rs_listener' }).poll()).rejects.toMatchObject({
    status: 404,
  });
  await expect(client.createListener({ body: asked('berlin') })).rejects.toMatchObject({ status: 409 });
  await fixture()
    .client(OTHER_WORKSPACE)
    .createListener({ body: asked('berlin') });
});

test.each([
  ['is bound to a subject', { subject: 'ada' }],
  ['ends', { expires_at: new Date(Date.now() + 3_600_000).toISOString() }],
])('when a key %s, then it makes no listener, which acts for all and for good', async (_title, bound) => {
  const { key } = await fixture().identity.ensureKey({
    workspace_id: WORKSPACE,
    name: 'bound',
    scopes: ['admin'],
    ...bound,
  });
  const hers = fixture().clientWith(key);
  await expect(hers.createListener({ body: asked('berlin') })).rejects.toMatchObject({ status: 403 });
  const { id } = await fixture()
    .client()
    .createListener({ body: asked('berlin') });
  await expect(hers.rotateListenerKey({ params: { listener_id: id } })).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('Only an unbound key'),
  });
});

test('when a listener gets a new key, then the earlier one ends', async () => {
  const client = fixture().client();
  const first = await client.createListener({ body: asked('berlin') });
  const params = { listener_id: first.id };
  const second = await client.rotateListenerKey({ params });
  await expect(listenerOf(first).poll()).rejects.toMatchObject({ status: 401 });
  await listenerOf(second).poll();
  expect(fixture().logged.join('')).not.toContain(second.key);
});

test('when deployments choose a listener, then it is not removed before they are gone for good', async () => {
  const client = fixture().client();
  const created = await client.createListener({ body: asked('berlin') });
  const params = { listener_id: created.id };
  const listener = listenerOf(created);
  await listener.poll(0, ['archive']);
  const { id } = await client.createDeployment({ body: createRequest('there') });
  expect(
    await fixture().db.query('select listener_id from assignments where deployment_id = $1', [id]),
  ).toEqual([{ listener_id: created.id }]);
  await expect(client.deleteListener({ params })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('there') as string,
  });
  await client.deleteDeployment({ params: { deployment_id: id } });
  await until(
    async () => (await client.listDeployments({ query: { status: 'deleted' } })).resources.length === 1,
    'the bin',
  );
  await expect(client.deleteListener({ params })).rejects.toMatchObject({
    message: expect.stringContaining('there (in the bin)') as string,
  });
  await client.deleteDeployment({ params: { deployment_id: id }, query: { force: 'true' } });
  await until(
    async () => (await client.listDeployments({ query: { status: 'deleted' } })).resources.length === 0,
    'erasure',
  );
  await client.deleteListener({ params });
  await expect(listener.poll()).rejects.toMatchObject({ status: 401 });
  await expect(client.deleteListener({ params })).rejects.toMatchObject({ status: 404 });
  const { items } = await client.listEvents({ query: { kind: 'listener' } });
  expect(items.map(({ kind }) => kind)).toEqual(['listener.deleted', 'listener.created']);
});

test('when a listener takes another’s namespace, or changes what never does, then it is refused', async () => {
  const client = fixture().client();
  const cluster = (compute_id: string, k8s_namespaces: string[] | null) =>
    fixture().send('/v2/listeners', {
      method: 'POST',
      body: JSON.stringify({ compute_type: 'k8s', compute_id, compute_config: { k8s_namespaces } }),
    });
  const first = await cluster('a', ['one', 'two']);
  expect(first.status).toBe(201);
  const { id } = (await first.json()) as { id: string };
  const params = { listener_id: id };
  expect(await client.readListener({ params })).toMatchObject({
    compute_type: 'cluster',
    compute_config: { cluster_namespaces: ['one', 'two'] },
  });
  expect((await cluster('b', ['three', 'two'])).status).toBe(409);
  expect((await cluster('b', ['three', 'three'])).status).toBe(400);
  expect((await cluster('b', ['No'])).status).toBe(422);
  expect((await cluster('b', ['three'])).status).toBe(201);
  const patch = (body: object) =>
    fixture().send(`/v2/listeners/${id}`, { method: 'PATCH', body: JSON.stringify(body) });
  expect((await patch({ compute_config: { cluster_namespaces: ['three'] } })).status).toBe(409);
  expect((await patch({ compute_id: 'other' })).status).toBe(400);
  expect((await patch({ compute_type: 'process' })).status).toBe(400);
  const changed = await patch({ compute_id: 'a', compute_type: 'k8s', version: '2', compute_config: null });
  expect(await changed.json()).toMatchObject({
    version: '2',
    compute_config: { cluster_namespaces: ['one', 'two'] },
  });
  expect((await patch({ compute_config: { cluster_namespaces: ['one', 'four'] } })).status).toBe(200);
  const body = { compute_type: 'process', compute_id: 'c', compute_config: { cluster_namespaces: ['x'] } };
  expect((await fixture().send('/v2/listeners', { method: 'POST', body: JSON.stringify(body) })).status).toBe(
    400,
  );
});

test('when a listener is the platform’s or somebody else’s, then a workspace can’t change it', async () => {
  const client = fixture().client();
  const { id } = await fixture()
    .client(OTHER_WORKSPACE)
    .createListener({ body: asked('theirs') });
  for (const listener_id of [LISTENER_ID, id]) {
    await expect(client.deleteListener({ params: { listener_id } })).rejects.toMatchObject({ status: 404 });
    await expect(
      client.patchListener({ params: { listener_id }, body: { version: '1' } }),
    ).rejects.toMatchObject({ status: 404 });
    await expect(client.rotateListenerKey({ params: { listener_id } })).rejects.toMatchObject({
      status: 404,
    });
  }
});
