import { expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import { createRequest, OTHER_WORKSPACE, upload } from '../testing/fixture.ts';
import { fresh, json, useDeployments } from '../testing/deployment-requests.ts';

const { fixture, client, create } = useDeployments();

test('when a name is taken in a workspace, then it is refused; equal slugs are made distinct', async () => {
  const name = fresh();
  await create(name);
  await expect(create(name)).rejects.toMatchObject({ status: 409 });
  const theirs = await fixture()
    .client(OTHER_WORKSPACE)
    .createDeployment({ body: createRequest(name) });
  const { slug } = await fixture().db.one<{ slug: string }>('select slug from deployments where id = $1', [
    theirs.id,
  ]);
  expect(slug).toMatch(new RegExp(`^${name}-[0-9a-f]{6}$`));
});

test('when an Idempotency-Key comes again, then its answer does, or 409 for another body', async () => {
  const headers = { 'idempotency-key': 'one' };
  const request = createRequest(fresh());
  const send = (of: object, workspace?: string) =>
    fixture().send('/v2/deployments', json(of, headers), workspace);
  const [first, second] = await Promise.all([send(request), send(request)]);
  expect([first?.status, second?.status]).toEqual([201, 201]);
  const answer = await first?.json();
  expect(await second?.json()).toEqual(answer);
  expect((await send({ ...request, name: fresh() })).status).toBe(409);
  expect((await send(request, OTHER_WORKSPACE)).status).toBe(201);
  const { id } = answer as { id: string };
  const post = (path: string) =>
    fixture().send(`/v2/deployments/${path}`, { method: 'POST', headers: { 'idempotency-key': 'up' } });
  const paths = [await post(`${id}/upload-url`), await post(`${id}/upload-url`)];
  const [a, b] = await Promise.all(paths.map((one) => one.json() as Promise<{ object_path: string }>));
  expect(a?.object_path).toBe(b?.object_path);
  const other = await create();
  expect((await post(`${other.id}/upload-url`)).status).toBe(409);
});

test('when If-Match does not name the present ETag, then the change is refused', async () => {
  const { id } = await create();
  const path = `/v2/deployments/${id}`;
  const etagNow = async () => (await fixture().send(path)).headers.get('etag') ?? '';
  const etag = await etagNow();
  expect(etag).toMatch(/^"\d+-[0-9a-f]{16}"$/);
  const patch = (tag: string) =>
    fixture().send(path, json({ secrets: [{ name: 'A', value: '1' }] }, { 'if-match': tag }, 'PATCH'));
  const patched = await patch(`W/${etag}, "x"`);
  expect(patched.status).toBe(200);
  expect(patched.headers.get('etag')).not.toBe(etag);
  const refused = [
    await patch(etag),
    await fixture().send(path, { method: 'DELETE', headers: { 'if-match': etag } }),
    await fixture().send(`${path}/secrets/A`, { method: 'DELETE', headers: { 'if-match': etag } }),
    await fixture().send(`${path}/revisions`, json({}, { 'if-match': etag })),
  ];
  expect(refused.map(({ status }) => status)).toEqual([412, 412, 412, 412]);
  expect((await patch('*')).status).toBe(200);
  const secret = { method: 'DELETE', headers: { 'if-match': await etagNow() } };
  expect((await fixture().send(`${path}/secrets/A`, secret)).status).toBe(204);
  const unchanged = await fixture().send(path, json({ secrets: [] }, {}, 'PATCH'));
  expect(unchanged.headers.get('etag')?.split('-')[0]).toBe((await etagNow()).split('-')[0]);
});

test('when If-None-Match names the ETag, then the answer is not sent again until it changes', async () => {
  const { id } = await create();
  const path = `/v2/deployments/${id}`;
  const read = (tag: string) => fixture().send(path, { headers: { 'if-none-match': tag } });
  let etag = '';
  // The loop of deployments may change it once more.
  await expect
    .poll(async () => {
      etag = (await fixture().send(path)).headers.get('etag') ?? '';
      const again = await read(`"x", W/${etag}`);
      return [again.status, await again.text(), again.headers.get('etag') === etag];
    })
    .toEqual([304, '', true]);
  await fixture().db.run(`update listeners set lease_expires_at = now() + interval '1 hour'`);
  await fixture().db.run(`update deployments set status = 'READY' where id = $1`, [id]);
  const changed = await read(etag);
  expect([changed.status, changed.headers.get('etag')?.split('-')[0]]).toEqual([200, etag.split('-')[0]]);
});

test('when 20 requests change one version, then one of them does', async () => {
  const { id } = await create();
  const path = `/v2/deployments/${id}`;
  const etag = (await fixture().send(path)).headers.get('etag') ?? '';
  const patch = (value: string) =>
    fixture().send(path, json({ secrets: [{ name: 'A', value }] }, { 'if-match': etag }, 'PATCH'));
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => patch(String(index))));
  const statuses = answers.map((one) => one.status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
  expect(await fixture().db.query('select id from revisions where deployment_id = $1', [id])).toHaveLength(2);
});

test('when 20 requests have one Idempotency-Key, then they make one revision and have one answer', async () => {
  const { id } = await create();
  const post = (body: object) =>
    fixture().send(`/v2/deployments/${id}/revisions`, json(body, { 'idempotency-key': 'the one' }));
  const answers = await Promise.all(Array.from({ length: 20 }, () => post({})));
  expect(answers.map((one) => one.status)).toEqual(Array.from({ length: 20 }, () => 201));
  const bodies = await Promise.all(answers.map((one) => one.json() as Promise<{ id: string }>));
  expect(new Set(bodies.map((one) => one.id)).size).toBe(1);
  expect(bodies[0]).toMatchObject({ number: 2, trigger: { kind: 'api' } });
  expect((await post({ secrets: [{ name: 'A', value: '1' }] })).status).toBe(409);
  expect(await fixture().db.query('select id from revisions where deployment_id = $1', [id])).toHaveLength(2);
});

test('when a patch names an upload, then it must be one for this very deployment', async () => {
  const { id } = await create();
  const elsewhere = await upload(fixture(), (await create()).id);
  const { object_path } = await client().createUploadAddress({ params: { deployment_id: id } });
  for (const source_tarball_path of ['uploads/made-up.tar.gz', elsewhere, object_path]) {
    const answer = client().patchDeployment({
      params: { deployment_id: id },
      body: { source_revision_config: { source_tarball_path } },
    });
    await expect(answer).rejects.toMatchObject({ status: 400 });
  }
});

test('when an archive is uploaded, then it is taken once, whole, as gzip, at a signed address', async () => {
  const { id } = await create();
  const { upload_url } = await client().createUploadAddress({ params: { deployment_id: id } });
  const put = async (content: Buffer | string, url = upload_url) =>
    (await fixture().fetch(new Request(url, { method: 'PUT', body: content }))).status;
  expect(await put('no archive')).toBe(400);
  expect(await put('')).toBe(400);
  expect(await put(gzipSync('a'))).toBe(200);
  expect(await put(gzipSync('a'))).toBe(200);
  expect(await put(gzipSync('b'))).toBe(409);
  expect(await put(gzipSync('a'), `${upload_url}x`)).toBe(403);
  expect(await put(gzipSync('a'), 'http://roadstead.test/v2/uploads/nonsense')).toBe(403);
});

test('when deployments are listed, then they come newest first, filtered and paged', async () => {
  const { id, name } = await create();
  const list = (query: object) => client().listDeployments({ query });
  expect((await list({ name })).resources.map((one) => one.id)).toEqual([id]);
  expect((await list({ name_contains: name.slice(1) })).resources[0]?.id).toBe(id);
  expect((await list({ name_contains: '%' })).resources).toEqual([]);
  expect((await list({ deployment_ids: [id] })).resources).toHaveLength(1);
  const first = await list({ limit: 2 });
  const next = await list({ limit: 2, offset: first.offset });
  expect(new Set([...first.resources, ...next.resources].map((one) => one.id)).size).toBe(4);
  expect(first.resources.map((one) => one.id)).toEqual(
    first.resources
      .map((one) => one.id)
      .toSorted()
      .toReversed(),
  );
  expect((await fixture().send('/v2/deployments?limit=101')).status).toBe(422);
});

test('when an id is of another workspace, then it is unknown to every operation', async () => {
  const { id, latest_revision_id } = await create();
  await client().patchDeployment({
    params: { deployment_id: id },
    body: { secrets: [{ name: 'A', value: '1' }] },
  });
  const at = `/v2/deployments/${id}`;
  const calls: [string, string, unknown?][] = [
    ['GET', at],
    ['PATCH', at, {}],
    ['DELETE', at],
    ['DELETE', `${at}?force=true`],
    ['DELETE', `${at}/secrets/A`],
    ['POST', `${at}/upload-url`],
    ['GET', `${at}/revisions`],
    ['GET', `${at}/revisions/${latest_revision_id}`],
    ['POST', `${at}/revisions`, {}],
    ['POST', `${at}/revisions/${latest_revision_id}/redeploy`],
    ['POST', `${at}/revisions/${latest_revision_id}/interruption`],
    ['POST', `${at}/revisions/${latest_revision_id}/interrupt`],
    ['POST', `${at}/restore`],
    ['POST', `${at}/push-token`],
    ['PATCH', `${at}/deployment-tier`, { deployment_tier: 'DEDICATED_S' }],
    ['PATCH', `${at}/resource-tiers`, { compute_tier: 'S' }],
    ['DELETE', `/v2/deployments?deployment_ids=${id}`],
    ['GET', `${at}/revisions/${latest_revision_id}/logs`],
    ['GET', `${at}/logs`],
  ];
  for (const [method, path, content] of calls) {
    const answer = await fixture().send(
      path,
      content === undefined ? { method } : json(content, {}, method),
      OTHER_WORKSPACE,
    );
    expect([method, path, answer.status]).toEqual([method, path, 404]);
  }
  const theirs = fixture().client(OTHER_WORKSPACE);
  expect((await theirs.listEvents({ query: { deployment_id: id } })).items).toEqual([]);
  expect((await theirs.listDeployments({ query: { deployment_ids: [id] } })).resources).toEqual([]);
  await expect(client().readDeployment({ params: { deployment_id: id } })).resolves.toBeDefined();
});

test('when a key names no workspace, then it may not create a deployment', async () => {
  await fixture().identity.ensureKey({ workspace_id: '*', name: 'odd', scopes: ['admin'], key: 'rs_odd' });
  await expect(
    fixture()
      .clientWith('rs_odd')
      .createDeployment({ body: createRequest(fresh()) }),
  ).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('requires workspace specification') as string,
  });
});

test('when events are listed, then they page back from the newest', async () => {
  const { id } = await create();
  await client().patchDeployment({
    params: { deployment_id: id },
    body: { secrets: [{ name: 'A', value: '1' }] },
  });
  const kinds: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: { kind: string }[]; next_cursor: string | null } = await client().listEvents({
      query: { deployment_id: id, page_size: 1, ...(cursor === null ? {} : { cursor }) },
    });
    kinds.push(...page.items.map((one) => one.kind));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(kinds.slice(-3)).toEqual(['revision.created', 'revision.created', 'deployment.created']);
  await expect(client().listEvents({ query: { cursor: '!' } })).rejects.toMatchObject({
    status: 400,
  });
});
