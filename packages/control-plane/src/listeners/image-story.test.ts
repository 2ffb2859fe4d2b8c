import { useFixturePerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { chosenNamespaces } from '../migrations/0045-chosen-namespaces.ts';
import { FakeListener } from '../testing/fake-listener.ts';
import { revisionsOf, startFixture, WORKSPACE } from '../testing/fixture.ts';

/** An image goes to a listener of the workspace that runs images, and never to the platform's own. */

const IMAGES = '88888888-8888-4888-8888-888888888888';

const fixture = useFixturePerTest(startFixture);
beforeEach(async () => {
  await fixture().db.run(
    `insert into listeners (id, workspace_id, compute_type, compute_id, compute_config, capabilities)
     values ($1, $2, 'cluster', 'mine', '{"cluster_namespaces": ["agents"]}', '{}')`,
    [IMAGES, WORKSPACE],
  );
  await fixture().identity.ensureKey({
    workspace_id: WORKSPACE,
    name: 'images',
    scopes: ['listener'],
    listener_id: IMAGES,
    key: 'rs_images',
  });
});

const create = (image_uri?: string) =>
  fixture()
    .client()
    .createDeployment({
      body: {
        name: 'pictured',
        source: 'external_image',
        source_config: {
          resource_spec: { cpu: 1, memory_mb: 512 },
          listener_config: { cluster_namespace: 'agents' },
        },
        source_revision_config: { image_uri },
        secrets: [],
        secret_references: [{ name: 'TOKEN', secret_name: 'keys', secret_key: 'token' }],
      },
    });

test('when an image is deployed, then it is gone back to by its digest, without a build', async () => {
  const client = fixture().clientWith('rs_images');
  const listener = new FakeListener({ client, listener_id: IMAGES, fetch: fixture().fetch });
  await expect(create('registry.test/agent:1')).rejects.toMatchObject({ status: 400 });
  await listener.poll(0, ['image']);
  const created = await create('registry.test/agent:1');
  const first = await listener.next(created.id);
  expect(first).toMatchObject({ namespace: 'agents', is_default_namespace: false, active: null });
  expect(first.revision).toMatchObject({
    source: { kind: 'image', image_uri: 'registry.test/agent:1' },
    artifact: null,
    config: { langgraph_config_path: null },
    resources: { cpu: 1, cpu_limit: 2, memory_mb: 512, memory_limit_mb: 1024, queue_cpu_limit: 2 },
    secret_references: [{ name: 'TOKEN', secret_name: 'keys', secret_key: 'token' }],
  });
  expect((await revisionsOf(fixture(), created.id))[0]).toMatchObject({
    status: 'AWAITING_DEPLOY',
    resource_spec: { cpu: 1, cpu_limit: 2 },
  });
  // The fields that were set, so that they can be read, changed and sent back.
  expect(created.source_config['resource_spec']).toEqual({ cpu: 1, memory_mb: 512 });
  await listener.reach(first);

  const params = { deployment_id: created.id };
  await fixture()
    .client()
    .patchDeployment({
      params,
      body: {
        source_config: { resource_spec: { cpu: 2 } },
        source_revision_config: { image_uri: 'registry.test/agent:2' },
      },
    });
  await listener.reach(await listener.next(created.id));
  const [, old] = await revisionsOf(fixture(), created.id);
  await fixture()
    .client()
    .redeployRevision({ params: { ...params, revision_id: old?.id ?? '' } });
  const back = await listener.next(created.id);
  expect(back.revision).toMatchObject({
    source: null,
    artifact: {
      kind: 'image',
      image_uri: expect.stringMatching(/^registry.test\/agent:1@sha256:/) as string,
    },
    resources: { cpu: 1, memory_mb: 512 },
  });
  await listener.reach(back);
  const shown = await fixture().client().readDeployment({ params });
  expect(shown).toMatchObject({
    active_revision_id: back.revision?.id,
    secret_references: [{ name: 'TOKEN', secret_name: 'keys', secret_key: 'token' }],
  });
  expect(await fixture().listener().poll()).toEqual([]);
});

test('when a deployment has no image, then it waits for one, and its status shows that', async () => {
  const client = fixture().clientWith('rs_images');
  const listener = new FakeListener({ client, listener_id: IMAGES, fetch: fixture().fetch });
  await listener.poll(0, ['image']);
  const created = await create();
  expect((await revisionsOf(fixture(), created.id))[0]).toMatchObject({
    status: 'CREATING',
    status_reason: { code: 'awaiting_image' },
  });
  await fixture()
    .client()
    .patchDeployment({
      params: { deployment_id: created.id },
      body: { source_revision_config: { image_uri: 'registry.test/agent:1' } },
    });
  expect((await listener.next(created.id)).revision).toMatchObject({ number: 2, source: { kind: 'image' } });
});

test('when a data plane does not serve a namespace, then a deployment that names it is refused', async () => {
  const client = fixture().clientWith('rs_images');
  const params = { listener_id: IMAGES };
  const report = (...served_namespaces: string[]) =>
    client.readAssignments({ params, query: { since: 0, capabilities: ['image'], served_namespaces } });
  await report('elsewhere');
  expect(await fixture().client().readListener({ params })).toMatchObject({
    served_namespaces: ['elsewhere'],
  });
  await expect(create('registry.test/agent:1')).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('in none of its namespaces (agents)'),
  });
  await report('elsewhere', 'agents');
  expect(await create('registry.test/agent:1')).toMatchObject({ name: 'pictured' });
});

test('when a data plane serves no namespaces any more, then none are shown', async () => {
  const client = fixture().clientWith('rs_images');
  const params = { listener_id: IMAGES };
  const report = (served_namespaces: string[], capabilities: 'image'[] = ['image']) =>
    client.readAssignments({ params, query: { since: 0, capabilities, served_namespaces } });
  const served = async () => (await fixture().client().readListener({ params })).served_namespaces;
  await report(['agents']);
  // Who says nothing of what it can run says nothing of where.
  await report([], []);
  expect(await served()).toEqual(['agents']);
  await report([]);
  expect(await served()).toEqual([]);
});

/** A listener that is bound to some namespaces, and a data plane that serves some. */
async function open(bound: string[], served: string[]) {
  const client = fixture().clientWith('rs_images');
  const params = { listener_id: IMAGES };
  const bind = (...cluster_namespaces: string[]) =>
    fixture()
      .client()
      .patchListener({ params, body: { compute_config: { cluster_namespaces } } });
  await bind(...bound);
  const serve = async (...served_namespaces: string[]) => {
    const query = { since: 0, capabilities: ['image' as const], served_namespaces };
    const { assignments } = await client.readAssignments({ params, query });
    return assignments.map(({ namespace, is_default_namespace }) => [namespace, is_default_namespace]);
  };
  await serve(...served);
  return { bind, serve, listener: new FakeListener({ client, listener_id: IMAGES, fetch: fixture().fetch }) };
}
const createPlain = () =>
  fixture()
    .client()
    .createDeployment({
      body: {
        name: 'plain',
        source: 'external_image',
        source_config: {},
        source_revision_config: { image_uri: 'registry.test/agent:1' },
        secrets: [],
      },
    });

test.each([
  [['first', 'second'], ['other', 'second'], 'second'],
  [[], ['other'], 'other'],
])(
  'when a listener is bound to %j and its data plane serves %j, then a deployment stays in %s',
  async (bound, served, namespace) => {
    const { bind, serve, listener } = await open(bound, served);
    const { id } = await createPlain();
    expect(await listener.next(id)).toMatchObject({ namespace, is_default_namespace: true });
    await bind('third', namespace);
    expect(await serve('third', namespace)).toEqual([[namespace, true]]);
    await expect(bind('third')).rejects.toMatchObject({ status: 409 });
  },
);

test.each<[string[], string[] | null, string | null]>([
  [['first', 'second'], ['other', 'second', 'first'], 'first'],
  [['first'], ['other'], 'first'],
  [[], ['other', 'second'], 'other'],
  [['first'], null, 'first'],
  [[], null, null],
])(
  'when a deployment of a listener bound to %j and serving %j is migrated, then it is in %s',
  async (bound, served, namespace) => {
    const { db } = fixture();
    await open([], ['agents']);
    const { id } = await createPlain();
    const compute_config = JSON.stringify({ cluster_namespaces: bound });
    await db.run(
      'update listeners set compute_config = $2::text::jsonb, served_namespaces = $3 where id = $1',
      [IMAGES, compute_config, served],
    );
    await db.run('alter table assignments drop column namespace');
    await db.run(chosenNamespaces.sql);
    const read = 'select namespace from assignments where deployment_id = $1';
    expect(await db.query(read, [id])).toEqual([{ namespace }]);
  },
);

test.each([
  [[], 'one'],
  [['agents'], 'agents'],
  [['elsewhere'], 'elsewhere'],
])(
  'when a listener bound to %j has a deployment without a namespace, then it is in %s',
  async (bound, namespace) => {
    const { serve, bind, listener } = await open([], ['agents']);
    await listener.next((await createPlain()).id);
    await fixture().db.run('update assignments set namespace = null');
    await bind(...bound);
    expect(await serve('one', 'agents')).toEqual([[namespace, true]]);
    expect(await serve('agents')).toEqual([[namespace, true]]);
  },
);

test('when a deployment names no namespace, then its listener gets the first of its own', async () => {
  const client = fixture().clientWith('rs_images');
  const listener = new FakeListener({ client, listener_id: IMAGES, fetch: fixture().fetch });
  await listener.poll(0, ['image']);
  const created = await createPlain();
  expect((await listener.next(created.id)).namespace).toBe('agents');
  const patched = fixture()
    .client()
    .patchListener({
      params: { listener_id: IMAGES },
      body: { compute_config: { cluster_namespaces: ['others'] } },
    });
  await expect(patched).rejects.toMatchObject({ status: 409, message: expect.stringContaining('plain') });
});
