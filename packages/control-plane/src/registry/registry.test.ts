import { OCI_INDEX, OCI_MANIFEST } from '@roadstead/contracts/control-plane';
import { useFixture } from '@roadstead/testing';
import { expect, test, vi } from 'vitest';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/fixture.ts';
import {
  bytesOf,
  descriptorOf,
  manifestOf,
  openRepository,
  type RegistryClient,
  sha256,
} from '../testing/registry-client.ts';

/** The registry over HTTP, by a small client. */

const fixture = useFixture(startFixture);
let opened = 0;
const open = (workspace_id = WORKSPACE) =>
  openRepository(fixture(), { name: `pushed-${(opened += 1)}`, client: fixture().client(workspace_id) });

test('when an image is pushed by a token, then it is fetched as it was, by tag and digest', async () => {
  const { registry, registry_url, id } = await open();
  expect(registry_url).toBe(`roadstead.test/images/${WORKSPACE}/${id}`);
  expect((await registry.ask('GET', '/v2/')).status).toBe(200);
  const digest = await registry.pushImage('1.4', 'one', 'two');
  for (const reference of ['1.4', digest])
    expect(await registry.pullImage(reference)).toEqual(['one', 'two']);
  const manifest = await registry.ask('GET', 'manifests/1.4');
  expect(sha256(new Uint8Array(await manifest.arrayBuffer()))).toBe(digest);
  expect(manifest.headers.get('content-type')).toBe(OCI_MANIFEST);

  const head = await registry.ask('HEAD', `blobs/${sha256(bytesOf('one'))}`, { status: 200 });
  expect([head.headers.get('content-length'), await head.text()]).toEqual(['3', '']);
  const part = await registry.ask('GET', `blobs/${sha256(bytesOf('one'))}`, {
    headers: { range: 'bytes=1-' },
    status: 206,
  });
  expect([part.headers.get('content-range'), await part.text()]).toEqual(['bytes 1-2/3', 'ne']);
  expect(await registry.ask('GET', `blobs/${digest}`, { status: 404 })).toBeDefined();
  // The same bytes again change nothing.
  expect(await registry.pushImage('latest', 'one', 'two')).toBe(digest);
  const tags = await registry.ask('GET', 'tags/list');
  expect(await tags.json()).toEqual({ name: registry.repository, tags: ['1.4', 'latest'] });
});

test('when clients reach the bucket, then layers are fetched there, and manifests here', async () => {
  const { registry } = await open();
  await registry.pushImage('1', 'in a bucket');
  using address = vi.spyOn(fixture().blobs, 'address').mockResolvedValue('https://bucket.example/signed');
  const path = `blobs/${sha256(bytesOf('in a bucket'))}`;
  const answer = await registry.ask('GET', path, { status: 303 });
  expect(answer.headers.get('location')).toBe('https://bucket.example/signed');
  expect(address).toHaveBeenCalledWith(sha256(bytesOf('in a bucket')), {
    content_type: 'application/octet-stream',
  });
  expect((await registry.ask('HEAD', path)).headers.get('content-length')).toBe('11');
  await registry.ask('GET', 'manifests/1');
});

test('when nobody logs in, then a registry’s login is asked for, in words', async () => {
  const { registry } = await open();
  for (const path of ['/v2/', `/v2/${registry.repository}/tags/list`]) {
    const answer = await fixture().fetch(new Request(`http://roadstead.test${path}`));
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="roadstead"']);
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'UNAUTHORIZED' }] });
  }
  expect(await registry.as({ password: 'wrong' }).refusal('GET', '/v2/')).toEqual([401, 'UNAUTHORIZED']);
});

test('when credentials differ, then each reaches what it is for', async () => {
  const [mine, another, theirs] = [await open(), await open(), await open(OTHER_WORKSPACE)];
  const digest = await mine.registry.pushImage('1', 'secret');
  const keyOf = async (scope: 'deployments:read' | 'deployments:write') => {
    const key = `rs_of_${scope}_${opened}`;
    await fixture().identity.ensureKey({ workspace_id: WORKSPACE, name: scope, scopes: [scope], key });
    return key;
  };
  const passwordOf = ({ registry }: typeof mine) =>
    fixture()
      .client(registry === theirs.registry ? OTHER_WORKSPACE : WORKSPACE)
      .createPushToken({ params: { deployment_id: registry.repository.split('/')[2] ?? '' } })
      .then(({ token }) => token);
  const cases = [
    ['the token of another deployment', await passwordOf(another), 404, 404],
    ['the token of another workspace', await passwordOf(theirs), 404, 404],
    ['a key of another workspace', `rs_admin_${OTHER_WORKSPACE}`, 404, 404],
    ['a key that reads', await keyOf('deployments:read'), 200, 403],
    ['a key that writes', await keyOf('deployments:write'), 403, 202],
    ['an admin', `rs_admin_${WORKSPACE}`, 200, 202],
  ] as const;
  for (const [name, password, pull, push] of cases) {
    const client = mine.registry.as({ password });
    const got = [
      (await client.ask('GET', `manifests/${digest}`)).status,
      (await client.ask('POST', 'blobs/uploads/')).status,
    ];
    expect([name, ...got]).toEqual([name, pull, push]);
  }
  // A token is no credential elsewhere, and removes nothing.
  const token = await passwordOf(mine);
  expect((await mine.registry.ask('GET', '/v2/deployments')).status).toBe(401);
  const bearer = { headers: { authorization: `Bearer ${token}` } };
  expect((await fixture().fetch(new Request('http://roadstead.test/v2/', bearer))).status).toBe(401);
  expect((await mine.registry.ask('DELETE', `manifests/${digest}`)).status).toBe(403);
});

test('when names are wrong or nobody’s, then they are refused in the form of registries', async () => {
  const { registry, id } = await open();
  const { id: uploaded } = await fixture()
    .client()
    .createDeployment({
      body: {
        name: `uploaded-${opened}`,
        source: 'internal_source',
        source_config: {},
        source_revision_config: { langgraph_config_path: 'langgraph.json' },
        secrets: [],
      },
    });
  const admin = registry.as({ password: `rs_admin_${WORKSPACE}` });
  const refused = (path: string) => admin.refusal('GET', path);
  for (const [deployment, image] of [
    [uploaded, 'agent'],
    ['no-id', 'agent'],
    [WORKSPACE, 'agent'],
  ])
    expect(await refused(`/v2/images/${WORKSPACE}/${deployment}/${image}/tags/list`)).toEqual([
      404,
      'NAME_UNKNOWN',
    ]);
  expect(await refused(`/v2/images/${WORKSPACE}/${id}/Agent/tags/list`)).toEqual([400, 'NAME_INVALID']);
  expect(await refused('manifests/none')).toEqual([404, 'MANIFEST_UNKNOWN']);
  expect(await refused('manifests/sha256:bad')).toEqual([400, 'DIGEST_INVALID']);
  expect(await refused(`blobs/${sha256(bytesOf('none'))}`)).toEqual([404, 'BLOB_UNKNOWN']);
  expect(await refused('blobs/uploads/none')).toEqual([404, 'BLOB_UPLOAD_UNKNOWN']);
  await fixture()
    .client()
    .deleteDeployment({ params: { deployment_id: id }, query: {} });
  expect(await refused('tags/list')).toEqual([404, 'NAME_UNKNOWN']);
});

test('when a manifest is not whole or not what it says, then it is refused', async () => {
  const { registry } = await open();
  await registry.pushBlob(bytesOf('{}'));
  const put = (reference: string, body: string, type = OCI_MANIFEST) =>
    registry.refusal('PUT', `manifests/${reference}`, { body, headers: { 'content-type': type } });
  expect(await put('1', JSON.stringify(manifestOf(['absent'])))).toEqual([400, 'MANIFEST_BLOB_UNKNOWN']);
  expect(await put('1', '{')).toEqual([400, 'MANIFEST_INVALID']);
  expect(await put(sha256(bytesOf('other')), JSON.stringify(manifestOf([])))).toEqual([
    400,
    'DIGEST_INVALID',
  ]);
  expect(await put('-1', JSON.stringify(manifestOf([])))).toEqual([400, 'TAG_INVALID']);
  expect(await put('1', ' '.repeat(4_194_305))).toEqual([413, 'SIZE_INVALID']);
  const index = { schemaVersion: 2, mediaType: OCI_INDEX, manifests: [descriptorOf('absent', OCI_MANIFEST)] };
  expect(await put('1', JSON.stringify(index), OCI_INDEX)).toEqual([400, 'MANIFEST_BLOB_UNKNOWN']);
  expect(await registry.refusal('GET', 'manifests/1')).toEqual([404, 'MANIFEST_UNKNOWN']);
});

test('when there are many tags, then they come in pages, and what refers to an image is listed', async () => {
  const { registry } = await open();
  const digest = await registry.pushImage('a', 'one');
  for (const tag of ['c', 'B', 'd']) await registry.pushManifest(tag, manifestOf(['one']), { status: 201 });
  const page = await registry.ask('GET', 'tags/list?n=3');
  expect(await page.json()).toMatchObject({ tags: ['B', 'a', 'c'] });
  const [, next = ''] = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? [];
  const last = await registry.ask('GET', next);
  expect([await last.json(), last.headers.get('link')]).toMatchObject([{ tags: ['d'] }, null]);

  const subject = descriptorOf(JSON.stringify(manifestOf(['one'])), OCI_MANIFEST);
  expect(subject.digest).toBe(digest);
  const signed = (type: string) =>
    manifestOf([], { subject, artifactType: type, annotations: { by: `me ${type}` } });
  const types = ['application/vnd.of.a', 'application/vnd.of.b'];
  for (const type of types) {
    const pushed = await registry.pushManifest(`signed-${type.at(-1)}`, signed(type), { status: 201 });
    expect(pushed.headers.get('oci-subject')).toBe(digest);
  }
  const all = await registry.ask('GET', `referrers/${digest}`, { status: 200 });
  expect(all.headers.get('content-type')).toBe(OCI_INDEX);
  const { manifests } = (await all.json()) as { manifests: object[] };
  expect(manifests).toHaveLength(2);
  const one = await registry.ask('GET', `referrers/${digest}?artifactType=${types[1]}`);
  expect(one.headers.get('oci-filters-applied')).toBe('artifactType');
  expect(await one.json()).toMatchObject({
    manifests: [{ artifactType: types[1], annotations: { by: `me ${types[1]}` } }],
  });
});

test('when a layer lies in another repository, then it is taken, but from no other workspace', async () => {
  const [mine, another, theirs] = [await open(), await open(), await open(OTHER_WORKSPACE)];
  const digest = await mine.registry.pushBlob(bytesOf('shared'));
  const mount = (client: RegistryClient, from?: string) =>
    client
      .ask('POST', `blobs/uploads/?mount=${digest}${from === undefined ? '' : `&from=${from}`}`)
      .then(({ status }) => status);
  const beside = mine.registry.as({ image: 'beside' });
  expect(await mount(beside, mine.registry.repository)).toBe(201);
  expect(await (await beside.ask('GET', `blobs/${digest}`)).text()).toBe('shared');
  // The token of another deployment does not read what is there; a key of the workspace does.
  expect(await mount(another.registry, mine.registry.repository)).toBe(202);
  expect(await mount(another.registry)).toBe(202);
  const key = another.registry.as({ password: `rs_admin_${WORKSPACE}` });
  expect(await mount(key, mine.registry.repository)).toBe(201);
  const foreign = theirs.registry.as({ password: `rs_admin_${OTHER_WORKSPACE}` });
  expect([await mount(foreign, mine.registry.repository), await mount(foreign)]).toEqual([202, 202]);
});

test('when something is needed, then it is not removed; else it is gone at once', async () => {
  const { registry } = await open();
  const admin = registry.as({ password: `rs_admin_${WORKSPACE}` });
  const digest = await registry.pushImage('1', 'one');
  const layer = sha256(bytesOf('one'));
  expect(await admin.refusal('DELETE', `blobs/${layer}`)).toEqual([403, 'DENIED']);
  const entry = descriptorOf(JSON.stringify(manifestOf(['one'])), OCI_MANIFEST);
  const index = { schemaVersion: 2, mediaType: OCI_INDEX, manifests: [entry] };
  const whole = (await registry.pushManifest('all', index, { type: OCI_INDEX })).headers.get(
    'docker-content-digest',
  );
  expect(await admin.refusal('DELETE', `manifests/${digest}`)).toEqual([403, 'DENIED']);
  for (const path of ['manifests/1', `manifests/${whole}`, `manifests/${digest}`, `blobs/${layer}`]) {
    await admin.ask('DELETE', path, { status: 202 });
    await admin.ask('GET', path, { status: 404 });
    await admin.ask('DELETE', path, { status: 404 });
  }
  expect(await (await registry.ask('GET', 'tags/list')).json()).toMatchObject({ tags: [] });
});
