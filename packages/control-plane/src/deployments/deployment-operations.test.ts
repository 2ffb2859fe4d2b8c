import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { controlPlane } from '@roadstead/contracts/control-plane';
import {
  createRequest,
  deployed,
  OTHER_WORKSPACE,
  push,
  revisionsOf,
  startFixture,
  until,
} from '../testing/fixture.ts';

const fixture = useFixture(startFixture);
const client = () => fixture().client();
const listener = useFixture(() => fixture().listener());
beforeAll(() => listener().poll());

let serial = 0;
const fresh = () => `thing-${(serial += 1)}`;
const create = async (workspace?: string) =>
  (
    await fixture()
      .client(workspace)
      .createDeployment({ body: createRequest(fresh()) })
  ).id;
const nobody = '33333333-3333-4333-8333-333333333333';
const binned = async () =>
  (await client().listDeployments({ query: { status: 'deleted', limit: 100 } })).resources.map(
    (one) => one.id,
  );
const restore = (deployment_id: string, headers: Record<string, string> = {}) =>
  fixture().send(`/v2/deployments/${deployment_id}/restore`, { method: 'POST', headers });

/** Moves it into the bin, stopped by the listener where it runs. */
async function bin(id: string, query: { delete_tracing_project?: 'true' } = {}): Promise<void> {
  await client().deleteDeployment({ params: { deployment_id: id }, query });
  const { generation } = await fixture().db.one<{ generation: number }>(
    'select generation from assignments where deployment_id = $1',
    [id],
  );
  if (generation > 0) await listener().reach(await listener().next(id, (news) => news.removed));
  await until(async () => (await binned()).includes(id), 'the bin');
}

async function deleteAll(ids: readonly string[]): Promise<[number, { id: string; status: string }[]]> {
  const query = ids.map((id) => `deployment_ids=${id}`).join('&');
  const answer = await fixture().send(`/v2/deployments?${query}`, { method: 'DELETE' });
  const { results } = (await answer.json()) as { results: { id: string; status: string }[] };
  return [answer.status, results];
}

test('when several deployments are deleted, then the status says if all, some or none are', async () => {
  const [a, b, c, theirs] = [await create(), await create(), await create(), await create(OTHER_WORKSPACE)];
  expect(await deleteAll([a, a.toUpperCase(), b])).toEqual([
    200,
    [
      { id: a, status: 'deleted', detail: null },
      { id: b, status: 'deleted', detail: null },
    ],
  ]);
  await until(async () => (await binned()).length >= 2, 'the bin');
  const [status, results] = await deleteAll([a, c, theirs]);
  expect([status, results.map((one) => [one.id, one.status])]).toEqual([
    207,
    [
      [a, 'not_found'],
      [c, 'deleted'],
      [theirs, 'not_found'],
    ],
  ]);
  expect((await deleteAll([nobody, theirs]))[0]).toBe(404);
  expect((await deleteAll(Array.from({ length: 101 }, () => nobody)))[0]).toBe(422);
  expect((await deleteAll(['no-id']))[0]).toBe(422);
  expect((await fixture().send('/v2/deployments', { method: 'DELETE' })).status).toBe(422);
  await expect(
    fixture()
      .client(OTHER_WORKSPACE)
      .readDeployment({ params: { deployment_id: theirs } }),
  ).resolves.toMatchObject({ id: theirs });
});

test('when a deployment is restored, then it serves what served, with a new key, without a build', async () => {
  const before = await deployed(fixture(), 'comes-back', listener());
  const { id } = before;
  const params = { deployment_id: id };
  const active = before.active_revision_id ?? '';
  const key = async () => (await listener().environment(id, active))['LANGSMITH_API_KEY'];
  const old_key = await key();
  await bin(id, { delete_tracing_project: 'true' });
  const answers = await Promise.all([1, 2].map(() => restore(id, { 'idempotency-key': 'back' })));
  expect(answers.map((one) => one.status)).toEqual([200, 200]);
  expect(await answers[0]?.json()).toMatchObject({ id, name: 'comes-back', status: 'AWAITING_DATABASE' });
  const news = await listener().next(id, (one) => !one.removed);
  expect(news).toMatchObject({
    revision: null,
    active: { id: active, source: null, artifact: { kind: 'folder' } },
    purge: false,
  });
  await listener().reach(news);
  expect(await client().readDeployment({ params })).toMatchObject({
    status: 'UNUSED',
    active_revision_id: active,
    url: before.url,
  });
  expect(await key()).toMatch(/./);
  expect(await key()).not.toBe(old_key);
  expect(await revisionsOf(fixture(), id)).toHaveLength(2);
  expect(await binned()).not.toContain(id);
  // It is a deployment like before: it is changed, deleted and restored again.
  await push(fixture(), id, 'newer');
  await listener().reach(await listener().next(id, (one) => one.revision !== null));
  expect((await revisionsOf(fixture(), id))[0]).toMatchObject({ number: 3, status: 'DEPLOYED' });
  const next_key = await listener().environment(id, (await revisionsOf(fixture(), id))[0]?.id ?? '');
  await bin(id);
  const inward = await fixture().identity.edge.inward(
    new Headers({ 'x-api-key': next_key['LANGSMITH_API_KEY'] ?? '' }),
    'observability',
  );
  expect(inward.assertion).toBeUndefined();
  expect((await restore(id)).status).toBe(200);
  await listener().next(id, (one) => !one.removed);
});

test('when a deployment that never ran is restored, then it takes its first source', async () => {
  const id = await create();
  await bin(id);
  expect((await restore(id)).status).toBe(200);
  await push(fixture(), id, 'first');
  await listener().reach(await listener().next(id, (one) => one.revision !== null));
  expect(
    (await client().readDeployment({ params: { deployment_id: id } })).active_revision_id,
  ).not.toBeNull();
});

test('when a restore comes too early or too late, or the name is taken, then it is refused', async () => {
  const sentence = async (answer: Response) => [
    answer.status,
    ((await answer.json()) as { detail: string }).detail,
  ];
  const name = fresh();
  const { id } = await deployed(fixture(), name, listener());
  expect(await sentence(await restore(id))).toEqual([409, expect.stringContaining('not in the bin')]);
  await client().deleteDeployment({ params: { deployment_id: id } });
  expect(await sentence(await restore(id))).toEqual([409, expect.stringContaining('still being stopped')]);
  await bin(id);
  const namesake = await client().createDeployment({ body: createRequest(name) });
  expect(await sentence(await restore(id))).toEqual([
    409,
    expect.stringContaining('The name of the deployment'),
  ]);
  await client().deleteDeployment({ params: { deployment_id: namesake.id } });
  await until(async () => (await binned()).includes(namesake.id), 'the bin');
  await fixture()
    .client(OTHER_WORKSPACE)
    .createDeployment({ body: createRequest(name) });
  expect(await sentence(await restore(id))).toEqual([
    409,
    expect.stringContaining('The slug of the deployment'),
  ]);
  await fixture().db.run(`update deployments set purge_at = now() - interval '1 second' where id = $1`, [id]);
  expect(await sentence(await restore(id))).toEqual([
    409,
    expect.stringContaining('time in the bin is over'),
  ]);
  expect((await restore(nobody)).status).toBe(404);
});

test('when its time in the bin is over, then a deployment is erased', async () => {
  const { id } = await deployed(fixture(), fresh(), listener());
  await bin(id);
  const { days } = await fixture().db.one<{ days: number }>(
    'select round(extract(epoch from purge_at - deleted_at) / 86400)::int as days from deployments where id = $1',
    [id],
  );
  expect(days).toBe(7);
  await fixture().db.run(`update deployments set purge_at = now() - interval '1 second' where id = $1`, [id]);
  await fixture().restart();
  await listener().reach(await listener().next(id, (news) => news.purge));
  await until(async () => !(await binned()).includes(id), 'erasure');
  expect(await fixture().db.query('select id from revisions where deployment_id = $1', [id])).toEqual([]);
});

test('when a revision is created, then the request may say of it what a patch may', async () => {
  const { id, active_revision_id } = await deployed(fixture(), fresh(), listener());
  const params = { deployment_id: id };
  const create = (body: object) => client().createRevision({ params, body });
  const again = await create({});
  expect(again).toMatchObject({ number: 3, status: 'CREATING', trigger: { kind: 'api' }, rollback_of: null });
  const news = await listener().next(id, ({ revision }) => revision?.id === again.id);
  // The same source is not built again.
  expect(news.revision).toMatchObject({ source: null, artifact: { kind: 'folder' } });
  await listener().reach(news);
  const changed = await create({
    source_config: { build_command: 'npm run build' },
    secrets: [{ name: 'A', value: 'canary' }],
  });
  expect(changed).toMatchObject({ number: 4, build_command: 'npm run build', secret_names: ['A'] });
  expect(JSON.stringify(changed)).not.toContain('canary');
  await expect(create({ source_config: { listener_id: nobody } })).rejects.toMatchObject({ status: 400 });
  await expect(create({ source_revision_config: { source_tarball_path: 'made/up' } })).rejects.toMatchObject({
    status: 400,
  });
  expect(await revisionsOf(fixture(), id)).toHaveLength(4);
  expect((await client().readDeployment({ params })).active_revision_id).not.toBe(active_revision_id);
});

test('when a call is about the original’s cloud, then it is refused, or answered for this one', async () => {
  const id = await create();
  const at = `/v2/deployments/${id}`;
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fixture().send(path, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return [answer.status, await answer.text()];
  };
  expect(await ask('GET', '/v2/deployments/free-count')).toEqual([200, '{"count":0}']);
  expect(await ask('POST', `${at}/push-token`)).toEqual([
    400,
    expect.stringContaining('only available for internal_image source deployments'),
  ]);
  expect(await ask('PATCH', `${at}/deployment-tier`, { deployment_tier: 'DEDICATED_M' })).toEqual([
    400,
    expect.stringContaining('no tiers here'),
  ]);
  expect((await ask('PATCH', `${at}/deployment-tier`, { deployment_tier: 'HUGE' }))[0]).toBe(422);
  expect(await ask('PATCH', `${at}/resource-tiers`, { database_tier: 'L' })).toEqual([
    400,
    expect.stringContaining('no tiers here'),
  ]);
  expect(await ask('PATCH', `${at}/resource-tiers`, {})).toEqual([
    400,
    expect.stringContaining('compute_tier'),
  ]);
  expect((await ask('PATCH', `${at}/resource-tiers`, { compute_tier: 'XL' }))[0]).toBe(422);
});

test('when a deployment is read, then image_version is the version of the server that runs it', async () => {
  const named = async (query: object) =>
    (await client().listDeployments({ query })).resources.map((one) => one.name);
  const { id } = await deployed(fixture(), 'versioned', listener());
  await fixture().db.run(`update listeners set version = '1.2.3'`);
  const read = await client().readDeployment({ params: { deployment_id: id } });
  expect(read.image_version).toBe('1.2.3');
  expect(await named({ image_version: '1.2.3' })).toContain('versioned');
  expect(await named({ image_version: '1.2' })).toEqual([]);
  const { image_version: before } = await client().createDeployment({ body: createRequest(fresh()) });
  expect(before).toBeNull();
});

test('when a request is repeated, then it shows its secret again, which is kept sealed', async () => {
  const post = () =>
    fixture().send('/v2/integrations', {
      method: 'POST',
      body: JSON.stringify(controlPlane.createIntegration.example?.body),
      headers: { 'idempotency-key': 'the integration' },
    });
  const answers = await Promise.all([post(), post()]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  const [first, second] = await Promise.all(
    answers.map((one) => one.json() as Promise<{ id: string; webhook_secret: string }>),
  );
  expect(first?.webhook_secret).toMatch(/./);
  expect(second).toEqual(first);
  const kept = await fixture().db.query(
    `select answer::text from idempotency_keys where key = 'the integration'`,
  );
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain(first?.webhook_secret);
});
