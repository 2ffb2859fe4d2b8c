import { hash } from 'node:crypto';
import { OCI_MANIFEST } from '@roadstead/contracts/control-plane';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/fixture.ts';
import { bytesOf, manifestOf, openRepository, sha256 } from '../testing/registry-client.ts';
import { holdParts, insertManifest } from './manifest-store.ts';
import { removeUnusedImages, removeUnusedLayers } from './image-removal-store.ts';
import { readManifest } from './manifest-rules.ts';

/** Layers on their way: in pieces, interrupted, at once, too large; and beside the removal of what is not used. */

const MAX_BYTES = 100_000_000;
const fixture = useFixture(() =>
  startFixture({ images: { registry_url: undefined, max_bytes: MAX_BYTES, kept_days: 30 } }),
);
let opened = 0;
const open = () => openRepository(fixture(), { name: `pushed-${(opened += 1)}` });
const count = async (table: 'image_blobs' | 'image_uploads', deployment_id: string) =>
  (await fixture().db.query(`select from ${table} where deployment_id = $1`, [deployment_id])).length;

test('when the platform restarts within an upload, then it goes on after the last piece', async () => {
  const { registry, id } = await open();
  const location = await registry.begin();
  expect((await registry.append(location, bytesOf('one '), 0)).headers.get('range')).toBe('0-3');
  await fixture().restart();
  const status = await registry.ask('GET', location, { status: 204 });
  expect(status.headers.get('range')).toBe('0-3');
  for (const first of [0, 3, 5]) {
    const refused = await registry.append(location, bytesOf('two '), first);
    expect([refused.status, refused.headers.get('range'), refused.headers.get('location')]).toEqual([
      416,
      '0-3',
      location,
    ]);
  }
  await registry.append(location, bytesOf('two '), 4);
  const digest = sha256(bytesOf('one two three'));
  const last = { body: bytesOf('three'), headers: { 'content-range': '8-12' } };
  await registry.ask('PUT', `${location}?digest=${digest}`, { ...last, status: 201 });
  expect(await (await registry.ask('GET', `blobs/${digest}`)).text()).toBe('one two three');
  expect(await count('image_uploads', id)).toBe(0);
  await registry.ask('GET', location, { status: 404 });
});

test('when a piece breaks off, then nothing of it counts', async () => {
  const { registry } = await open();
  const location = await registry.begin();
  await registry.append(location, bytesOf('whole '), 0);
  const broken = new ReadableStream({
    start: (controller) => controller.enqueue(bytesOf('bro')),
    pull: (controller) => controller.error(new Error('the line broke')),
  });
  const answer = await registry.ask('PATCH', location, { body: broken }).catch(() => undefined);
  expect(answer?.status ?? 500).toBe(500);
  const status = await registry.ask('GET', location, { status: 204 });
  expect(status.headers.get('range')).toBe('0-5');
  const digest = sha256(bytesOf('whole again'));
  await registry.ask('PUT', `${location}?digest=${digest}`, { body: bytesOf('again'), status: 201 });
});

test('when a layer is not what its digest says, then it is refused, and its upload is over', async () => {
  const { registry, id } = await open();
  const digest = sha256(bytesOf('right'));
  const wrong = { body: bytesOf('wrong') };
  expect(await registry.refusal('POST', `blobs/uploads/?digest=${digest}`, wrong)).toEqual([
    400,
    'DIGEST_INVALID',
  ]);
  expect(await registry.refusal('PUT', `${await registry.begin()}?digest=${digest}`, wrong)).toEqual([
    400,
    'DIGEST_INVALID',
  ]);
  const location = await registry.begin();
  await registry.append(location, wrong.body);
  expect(await registry.refusal('PUT', `${location}?digest=${digest}`)).toEqual([400, 'DIGEST_INVALID']);
  expect(await registry.refusal('GET', location)).toEqual([404, 'BLOB_UPLOAD_UNKNOWN']);
  expect(await registry.refusal('PUT', await registry.begin())).toEqual([400, 'DIGEST_INVALID']);
  expect(await count('image_blobs', id)).toBe(0);
});

test('when an upload is given up, then it is over', async () => {
  const { registry } = await open();
  const location = await registry.begin();
  await registry.append(location, bytesOf('one'));
  await registry.ask('DELETE', location, { status: 204 });
  expect(await registry.refusal('PATCH', location, { body: bytesOf('two') })).toEqual([
    404,
    'BLOB_UPLOAD_UNKNOWN',
  ]);
});

test('when layers are large or empty, by either digest, then they are kept as they came', async () => {
  const { registry } = await open();
  for (const bytes of [bytesOf(''), new Uint8Array(300_000).fill(7)]) {
    const sha512 = `sha512:${hash('sha512', bytes)}`;
    for (const digest of [sha256(bytes), sha512]) {
      await registry.ask('POST', `blobs/uploads/?digest=${digest}`, { body: bytes, status: 201 });
      const location = await registry.begin();
      await registry.append(location, bytes);
      await registry.ask('PUT', `${location}?digest=${digest}`, { status: 201 });
      const got = await registry.ask('GET', `blobs/${digest}`, { status: 200 });
      expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
    }
  }
});

test('when two push the same layer, or send the same piece at once, then both are answered well', async () => {
  const [mine, another] = [await open(), await open()];
  const bytes = new Uint8Array(200_000).fill(1);
  const digests = await Promise.all(
    [mine, mine, another, another].map(({ registry }) => registry.pushBlob(bytes)),
  );
  expect(new Set(digests)).toEqual(new Set([sha256(bytes)]));
  const location = await mine.registry.begin();
  const statuses = await Promise.all(
    ['one', 'two', 'six'].map(
      async (text) => (await mine.registry.append(location, bytesOf(text), 0)).status,
    ),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 416, 416]);
});

const age = (id: string, days: number) =>
  fixture().db.run(
    ['image_blobs', 'image_manifests', 'image_uploads']
      .map(
        (table) =>
          `update ${table} set used_at = now() - interval '${days} days' where deployment_id = '${id}';`,
      )
      .join(' '),
  );
const remove = async () => {
  await removeUnusedImages(fixture().db, 30);
  await removeUnusedLayers(fixture().db);
};

test('when images grow old, then those of revisions stay, and what is asked for by a push', async () => {
  const { registry, registry_url, id } = await open();
  const used = await registry.pushImage('used', 'layer of the used one', 'shared');
  await registry.pushImage('old', 'layer of the old one', 'shared');
  await fixture()
    .client()
    .patchDeployment({
      params: { deployment_id: id },
      body: { source_revision_config: { image_uri: `${registry_url}/agent:used` } },
    });
  await age(id, 31);
  await registry.ask('HEAD', `blobs/${sha256(bytesOf('layer of the old one'))}`, { status: 200 });
  await remove();
  expect(await registry.pullImage(used)).toEqual(['layer of the used one', 'shared']);
  await registry.ask('GET', 'manifests/old', { status: 404 });
  expect(await (await registry.ask('GET', 'tags/list')).json()).toMatchObject({ tags: ['used'] });
  await registry.ask('GET', `blobs/${sha256(bytesOf('layer of the old one'))}`, { status: 200 });
  await age(id, 31);
  await remove();
  await registry.ask('GET', `blobs/${sha256(bytesOf('layer of the old one'))}`, { status: 404 });
  const admin = registry.as({ password: `rs_admin_${WORKSPACE}` });
  expect(await admin.refusal('DELETE', `manifests/${used}`)).toEqual([403, 'DENIED']);
});

test('when an image is deleted, then its own layers go a day after their push', async () => {
  const { registry, id } = await open();
  const digest = await registry.pushImage('1', 'mine', 'shared');
  await registry.pushImage('2', 'shared');
  await registry.pushBlob(bytesOf('never named'));
  const admin = registry.as({ password: `rs_admin_${WORKSPACE}` });
  await admin.ask('DELETE', `manifests/${digest}`, { status: 202 });
  await remove();
  expect(await count('image_blobs', id)).toBe(4);
  await age(id, 2);
  await remove();
  await registry.ask('GET', `blobs/${sha256(bytesOf('mine'))}`, { status: 404 });
  await registry.ask('GET', `blobs/${sha256(bytesOf('never named'))}`, { status: 404 });
  await registry.ask('GET', `blobs/${sha256(bytesOf('shared'))}`, { status: 200 });
});

test('when a removal meets a push, then what the push names stays', async () => {
  const { registry, id } = await open();
  for (const text of ['{}', 'layer']) await registry.pushBlob(bytesOf(text));
  await age(id, 31);
  const at = { workspace_id: WORKSPACE, deployment_id: id, image: 'agent' };
  const facts = readManifest(manifestOf(['layer']), OCI_MANIFEST);
  const held = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const push = fixture().db.transaction(async (tx) => {
    await holdParts(tx, at, { table: 'image_blobs', digests: facts.blobs });
    held.resolve();
    await go.promise;
    const bytes = Buffer.from(JSON.stringify(manifestOf(['layer'])));
    await insertManifest(tx, at, { digest: sha256(bytes), bytes, facts });
  });
  await held.promise;
  expect(await removeUnusedLayers(fixture().db)).toBe(0);
  go.resolve();
  await push;
  await remove();
  expect(await count('image_blobs', id)).toBe(2);
});

test('when an upload is left for an hour, then it is removed, and so are its bytes', async () => {
  const { registry, id } = await open();
  await registry.append(await registry.begin(), bytesOf('left'));
  const old = `now() - interval '61 minutes'`;
  await fixture().db.run(
    `update image_uploads set used_at = ${old}; update stored_blobs set put_at = ${old}`,
  );
  await fixture().restartLater();
  await expect.poll(() => count('image_uploads', id)).toBe(0);
  await expect.poll(() => fixture().blobs.has(sha256(bytesOf('left')))).toBe(false);
});

test('when a workspace has no room left, then more is refused in words, and others have theirs', async () => {
  await using narrow = await startFixture({
    images: { registry_url: undefined, max_bytes: 1_000_000, kept_days: 30 },
  });
  const { registry } = await openRepository(narrow);
  await registry.pushBlob(new Uint8Array(400_000).fill(1));
  // What is there already takes no room.
  await registry.as({ image: 'beside' }).pushBlob(new Uint8Array(400_000).fill(1));
  const more = { body: new Uint8Array(700_000).fill(2) };
  const digest = sha256(more.body);
  const refused = await registry.ask('POST', `blobs/uploads/?digest=${digest}`, { ...more, status: 403 });
  expect(await refused.json()).toMatchObject({
    errors: [{ code: 'DENIED', message: expect.stringContaining('ROADSTEAD_IMAGES_GB') as string }],
  });
  expect(await registry.refusal('PATCH', await registry.begin(), more)).toEqual([403, 'DENIED']);
  const theirs = await openRepository(narrow, {
    name: 'theirs',
    client: narrow.client(OTHER_WORKSPACE),
  });
  await theirs.registry.pushBlob(more.body);
  const both = [3, 4].map((fill) => new Uint8Array(400_000).fill(fill));
  const statuses = await Promise.all(
    both.map(
      async (body) =>
        (
          await registry.ask('POST', `blobs/uploads/?digest=${sha256(body)}`, {
            body,
            headers: { 'content-length': String(body.length) },
          })
        ).status,
    ),
  );
  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 403]);
});
