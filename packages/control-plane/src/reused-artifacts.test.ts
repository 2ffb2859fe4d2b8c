import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { deploy, deployed, push, revisionsOf, startFixture, upload } from './testing/fixture.ts';

const fixture = useFixturePerTest(startFixture);
const client = () => fixture().client();

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
