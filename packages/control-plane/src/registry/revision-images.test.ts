import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { deployed, revisionsOf, startFixture, WORKSPACE } from '../testing/fixture.ts';
import { openRepository, RegistryClient } from '../testing/registry-client.ts';

/** Deployments of pushed images, from a push to a listener that runs one. */

const fixture = useFixturePerTest(startFixture);
const patch = (deployment_id: string, image_uri: string) =>
  fixture()
    .client()
    .patchDeployment({
      params: { deployment_id },
      body: { revision_source: 'internal_image', source_revision_config: { image_uri } },
    });

test('when an image is pushed, then its digest is deployed, and gone back to', async () => {
  const { registry, registry_url, id } = await openRepository(fixture());
  const listener = fixture().listener();
  await listener.poll(0, ['image']);
  const first = await registry.pushImage('latest', 'one');
  await patch(id, `${registry_url}/agent`);
  const pinned = `${registry_url}/agent@${first}`;
  const news = await listener.next(id, ({ revision }) => revision !== null);
  expect(news.revision?.source).toEqual({ kind: 'image', image_uri: pinned, is_ours: true });
  const credentials = await listener.client.readSourceCredentials({
    params: { listener_id: listener.listener_id, deployment_id: id },
    query: { fence: listener.fence },
  });
  expect(credentials.credentials).toMatchObject({ kind: 'token', username: 'oauth2accesstoken' });
  const { token = '' } = credentials.credentials as { token?: string };
  const reader = new RegistryClient({
    fetch: fixture().fetch,
    repository: registry.repository,
    password: token,
  });
  expect(await reader.pullImage(first)).toEqual(['one']);
  expect((await reader.ask('POST', 'blobs/uploads/')).status).toBe(403);
  await listener.observe(news, { artifact: { kind: 'image', image_uri: pinned } });

  // What comes under the tag later changes nothing.
  const second = await registry.pushImage('latest', 'two');
  await patch(id, `${registry_url}/agent:latest`);
  const [newest] = await revisionsOf(fixture(), id);
  expect(newest?.source_revision_config['image_uri']).toBe(`${registry_url}/agent@${second}`);
  const next = await listener.next(id);
  await listener.observe(next, { artifact: { kind: 'image', image_uri: `${registry_url}/agent@${second}` } });
  const earlier = (await revisionsOf(fixture(), id)).find(({ number }) => number === 2);
  await fixture()
    .client()
    .redeployRevision({ params: { deployment_id: id, revision_id: earlier?.id ?? '' } });
  expect((await listener.next(id)).revision).toMatchObject({
    source: null,
    artifact: { kind: 'image', image_uri: pinned, is_ours: true },
  });
  for (const line of fixture().logged) expect(line).not.toContain(token);
});

test('when an image lies elsewhere or was not pushed, then it is refused by its field', async () => {
  const { registry, registry_url, id } = await openRepository(fixture());
  await registry.pushImage('1', 'one');
  const other = await openRepository(fixture(), { name: 'other' });
  await other.registry.pushImage('1', 'one');
  for (const image_uri of [
    'agent:1',
    'registry.test/agent:1',
    `${other.registry_url}/agent:1`,
    `${registry_url}/agent:2`,
    `${registry_url}/absent`,
    `${registry_url}/agent@sha256:${'0'.repeat(64)}`,
  ])
    await expect(patch(id, image_uri)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('source_revision_config.image_uri') as string,
    });
  const create = (source: 'internal_image' | 'external_image', image_uri: string) =>
    fixture()
      .client()
      .createDeployment({
        body: { name: 'new', source, source_config: {}, source_revision_config: { image_uri }, secrets: [] },
      });
  await expect(create('internal_image', `${registry_url}/agent:1`)).rejects.toMatchObject({ status: 400 });
  // Another deployment could read by its listener what its workspace does not reach.
  // So could a name by which it was, or is, reached elsewhere.
  for (const host of ['roadstead.test', 'roadstead.test:80', 'earlier.test', 'registry.test/agents'])
    await expect(
      create('external_image', `${host}/${registry_url.slice('roadstead.test/'.length)}/agent:1`),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('source internal_image') as string,
    });
});

test('when tokens are for other sources, or the registry is the operator’s, then that is said', async () => {
  const { id } = await deployed(fixture(), 'uploaded', fixture().listener());
  await expect(
    fixture()
      .client()
      .createPushToken({ params: { deployment_id: id } }),
  ).rejects.toMatchObject({ status: 400 });
  await using theirs = await startFixture({
    images: { registry_url: 'registry.test/agents', max_bytes: 1000, kept_days: 30 },
  });
  await theirs.listener().poll(0, ['image']);
  const body = {
    name: 'pushed',
    source: 'internal_docker' as const,
    source_config: {},
    source_revision_config: {},
    secrets: [],
  };
  const created = await theirs.client().createDeployment({ body });
  const params = { deployment_id: created.id };
  await expect(theirs.client().createPushToken({ params })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(`registry.test/agents/${WORKSPACE}/${created.id}`) as string,
  });
  const admin = new RegistryClient({
    fetch: theirs.fetch,
    repository: `images/${WORKSPACE}/${created.id}/agent`,
    password: `rs_admin_${WORKSPACE}`,
  });
  expect(await admin.refusal('POST', 'blobs/uploads/')).toEqual([403, 'DENIED']);
  const change = (image_uri: string) =>
    theirs.client().patchDeployment({ params, body: { source_revision_config: { image_uri } } });
  const folder = `registry.test/agents/${WORKSPACE}`;
  for (const image_uri of ['elsewhere.test/agent:1', 'registry.test/agents/mine:1', `${folder}/other/mine:1`])
    await expect(change(image_uri)).rejects.toMatchObject({ status: 400 });
  await change(`${folder}/${created.id}/mine:1`);
  const news = await theirs.listener().next(created.id, ({ revision }) => revision !== null);
  expect(news.revision?.source).toEqual({
    kind: 'image',
    image_uri: `${folder}/${created.id}/mine:1`,
    is_ours: false,
  });
});
