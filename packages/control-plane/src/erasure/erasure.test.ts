import { gzipSync } from 'node:zlib';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { type ApiError, type Client, createClient } from '@roadstead/contracts';
import type { ControlPlaneContract } from '@roadstead/contracts/control-plane';
import { identity as identityContract } from '@roadstead/contracts/identity';
import { createRequest, startFixture, until, WORKSPACE } from '../testing/fixture.ts';
import { bytesOf, openRepository } from '../testing/registry-client.ts';

const fixture = useFixturePerTest(startFixture);

const identityAs = (key: string) =>
  createClient(identityContract, {
    base_url: 'http://identity',
    fetch: async (request) =>
      fixture().identity.served.fetch(
        request,
        await fixture().identity.edge.inward(new Headers({ 'x-api-key': key }), 'identity'),
      ),
  });
const operator = () => identityAs(`rs_admin_${WORKSPACE}`);

/** A deployment that was uploaded and built, with a secret, an event for a webhook, a log. */
async function deployAs(
  client: Client<ControlPlaneContract>,
  name: string,
  content: string,
): Promise<string> {
  const listener = fixture().listener();
  const { id } = await client.createDeployment({
    body: { ...createRequest(name), secrets: [{ name: 'TOKEN', value: 'x' }] },
  });
  const { upload_url, object_path } = await client.createUploadAddress({ params: { deployment_id: id } });
  await fixture().fetch(new Request(upload_url, { method: 'PUT', body: gzipSync(content) }));
  await client.patchDeployment({
    params: { deployment_id: id },
    headers: { 'idempotency-key': name },
    body: {
      revision_source: 'internal_source',
      source_revision_config: { source_tarball_path: object_path },
    },
  });
  const news = await listener.next(id, ({ revision }) => revision !== null);
  await listener.log(news, 'a line');
  await listener.reach(news);
  return id;
}

/** The number of this workspace's rows in every table of both schemas that has a workspace. */
async function rowsOf(workspace_id: string): Promise<Record<string, number>> {
  const tables = await fixture().db.query<{ schema: string; name: string }>(
    `select table_schema as schema, table_name as name from information_schema.columns
     where column_name = 'workspace_id' and table_schema in ('control', 'identity') order by 1, 2`,
  );
  expect(tables.length).toBeGreaterThan(7);
  const found: Record<string, number> = {};
  for (const { schema, name } of tables) {
    const { count } = await fixture().db.one<{ count: number }>(
      `select count(*) as count from ${schema}.${name} where workspace_id::text = $1`,
      [workspace_id],
    );
    if (count > 0) found[`${schema}.${name}`] = count;
  }
  return found;
}

async function stored(): Promise<string[]> {
  const digests: string[] = [];
  for await (const { digest } of fixture().blobs.list()) digests.push(digest);
  return digests.sort();
}

test('when a workspace is in use, the default one or somebody else’s, then it is not deleted', async () => {
  const { id, key } = await operator().createWorkspace({ body: { name: 'busy' } });
  const client = fixture().clientWith(key);
  const deployment = await client.createDeployment({ body: createRequest('still-here') });
  const params = { workspace_id: id };
  for (const query of [{}, { force: 'true' as const }])
    await expect(operator().deleteWorkspace({ params, query })).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining('1 deployments (still-here)') as string,
    });
  await client.deleteDeployment({ params: { deployment_id: deployment.id } });
  await expect(operator().deleteWorkspace({ params: { workspace_id: WORKSPACE } })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('default') as string,
  });
  const { key: stranger } = await operator().createWorkspace({ body: { name: 'stranger' } });
  await expect(identityAs(stranger).deleteWorkspace({ params })).rejects.toMatchObject({ status: 404 });
  await expect(identityAs(stranger).readWorkspace({ params })).rejects.toMatchObject({ status: 404 });
  expect(await operator().readWorkspace({ params })).toMatchObject({ name: 'busy', deleting: false });
});

test('when a workspace is deleted, then nothing of it is left, whenever that is interrupted', async () => {
  const { id, key } = await operator().createWorkspace({ body: { name: 'doomed' } });
  const doomed = fixture().clientWith(key);
  const { key: second } = await identityAs(key).createApiKey({
    body: { name: 'second', scopes: ['reader'] },
  });
  await identityAs(key).createUser({
    body: { name: 'person', password: 'a long password', scopes: ['reader'] },
  });
  // The same source in both: its bytes stay.
  const kept = await deployAs(fixture().client(), 'kept', 'shared');
  const keptBlobs = await stored();
  await doomed.createWebhook({ body: { url: 'http://127.0.0.1:1/' } });
  const [first, other] = [
    await deployAs(doomed, 'first', 'shared'),
    await deployAs(doomed, 'second', 'of its own'),
  ];
  expect((await stored()).length).toBeGreaterThan(keptBlobs.length);
  for (const deployment_id of [first, other]) await doomed.deleteDeployment({ params: { deployment_id } });
  const listener = fixture().listener();
  await until(async () => {
    for (const news of await listener.poll()) if (news.removed) await listener.reach(news);
    const { resources } = await doomed.listDeployments({ query: { status: 'deleted' } });
    return resources.length === 2;
  }, 'the bin');
  await fixture().db.run(`update stored_blobs set put_at = now() - interval '2 minutes'`);
  const before = await rowsOf(WORKSPACE);

  expect(await operator().deleteWorkspace({ params: { workspace_id: id } })).toMatchObject({
    deleting: true,
  });
  for (const dead of [key, second])
    await expect(fixture().clientWith(dead).listDeployments({})).rejects.toMatchObject({ status: 401 });
  expect(await operator().readWorkspace({ params: { workspace_id: id } })).toMatchObject({ deleting: true });
  expect(await operator().deleteWorkspace({ params: { workspace_id: id } })).toMatchObject({
    deleting: true,
  });

  const purged = new Set<string>();
  await until(async () => {
    await fixture().restart();
    const mine = fixture().listener();
    for (const news of await mine.poll()) {
      if (!news.removed) continue;
      if (news.purge) purged.add(news.deployment_id);
      await mine.reach(news);
    }
    return operator()
      .readWorkspace({ params: { workspace_id: id } })
      .then(
        () => false,
        (error: ApiError) => error.status === 404,
      );
  }, 'the end of the workspace');
  expect(purged).toEqual(new Set([first, other]));
  expect(await rowsOf(id)).toEqual({});
  expect(await fixture().db.query(`select id from outbox_messages`)).toEqual([]);
  expect(await stored()).toEqual(keptBlobs);
  expect(await rowsOf(WORKSPACE)).toEqual(before);
  expect(
    await fixture()
      .client()
      .readDeployment({ params: { deployment_id: kept } }),
  ).toMatchObject({
    name: 'kept',
  });
  expect((await operator().listWorkspaces({ query: { created: 'true' } })).items).toHaveLength(1);
});

test('when images were pushed to a workspace that is deleted, then their bytes go with it', async () => {
  const { id, key } = await operator().createWorkspace({ body: { name: 'pictured' } });
  const mine = await openRepository(fixture(), { name: 'mine' });
  await mine.registry.pushImage('1', 'shared');
  const before = await stored();
  const theirs = await openRepository(fixture(), { name: 'theirs', client: fixture().clientWith(key) });
  await theirs.registry.pushImage('1', 'shared', 'of its own');
  await theirs.registry.append(await theirs.registry.begin(), bytesOf('half of one'));
  await fixture().db.run(`update stored_blobs set put_at = now() - interval '2 minutes'`);
  await fixture()
    .clientWith(key)
    .deleteDeployment({ params: { deployment_id: theirs.id }, query: { force: 'true' } });
  await operator().deleteWorkspace({ params: { workspace_id: id } });
  await until(async () => {
    await fixture().restart();
    const listener = fixture().listener();
    for (const news of await listener.poll()) if (news.removed) await listener.reach(news);
    return (await fixture().db.query('select from deployments where id = $1', [theirs.id])).length === 0;
  }, 'the end of the deployment');
  await until(async () => (await stored()).join() === before.join(), 'the end of its bytes');
  expect(await mine.registry.pullImage('1')).toEqual(['shared']);
  expect(await rowsOf(id)).not.toHaveProperty(['control.image_blobs']);
});

test('when a credential is still believed during an erasure, then what it brings is erased too', async () => {
  const { id, key } = await operator().createWorkspace({ body: { name: 'late' } });
  const assertion = await fixture().identity.edge.inward(new Headers({ 'x-api-key': key }), 'control-plane');
  await operator().deleteWorkspace({ params: { workspace_id: id } });
  const answer = await fixture().service.served.fetch(
    new Request('http://roadstead.test/v2/deployments', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(createRequest('late')),
    }),
    assertion,
  );
  expect(answer.status).toBe(201);
  const erase = () =>
    fixture().service.served.fetch(
      new Request('http://roadstead.test/v2/control-plane/erasure', { method: 'POST' }),
      fixture().signedAs({ workspace_id: id, actor: 'service:identity', scopes: [] }),
    );
  await until(async () => ((await (await erase()).json()) as { is_done: boolean }).is_done, 'the erasure');
  expect(await fixture().db.query('select id from deployments')).toEqual([]);
});

test('when another step removes a deployment first, then this one goes on', async () => {
  const { id, key } = await operator().createWorkspace({ body: { name: 'twice' } });
  const deployment = await fixture()
    .clientWith(key)
    .createDeployment({ body: createRequest('twice') });
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const step = await fixture().db.transaction(async (tx) => {
    await tx.one('select id from deployments where id = $1 for update', [deployment.id]);
    const running = fixture().service.served.fetch(
      new Request('http://roadstead.test/v2/control-plane/erasure', { method: 'POST' }),
      fixture().signedAs({ workspace_id: id, actor: 'service:identity', scopes: [] }),
    );
    // Not observed by the transaction, which fixes at its beginning who waits.
    await until(
      async () => (await fixture().db.query(waiting)).length > 0,
      'the step to wait for the deployment',
    );
    await tx.run('delete from deployments where id = $1', [deployment.id]);
    return { running };
  });
  const answer = await step.running;
  expect([answer.status, await answer.json()]).toEqual([200, { is_done: true, left: [] }]);
});

test('when anybody but identity asks for an erasure, then it is refused', async () => {
  const ask = (actor: string) =>
    fixture().service.served.fetch(
      new Request('http://roadstead.test/v2/control-plane/erasure', { method: 'POST' }),
      fixture().signedAs({ workspace_id: WORKSPACE, actor, scopes: ['admin'] }),
    );
  expect((await ask('service:observability')).status).toBe(403);
  expect((await ask('key:1')).status).toBe(401);
  expect((await fixture().send('/v2/control-plane/erasure', { method: 'POST' })).status).toBe(401);
});
