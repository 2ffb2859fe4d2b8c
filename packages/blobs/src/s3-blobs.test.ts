import { randomBytes } from 'node:crypto';
import { useFixturePerTest } from '@roadstead/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Blobs, placeOf } from './blobs.ts';
import { checkBucket, openS3Blobs } from './s3-blobs.ts';
import type { S3Access, S3Place } from './s3-bucket.ts';
import { blobsSuite } from './testing/blobs-suite.ts';
import { startFakeS3 } from './testing/fake-s3.ts';
import { S3_CREDENTIALS, useCredentials } from './testing/s3-credentials.ts';

const PART = 100_000;
const server = useFixturePerTest(startFakeS3);

const place = (given: Partial<S3Access> = {}, bucket = server().bucket): S3Place => ({
  bucket,
  prefix: 'a+b/c/',
  access: { region: 'us-east-1', endpoint: server().url, public_endpoint: undefined, ...given },
});
const open = (given: Partial<S3Access> = {}): Promise<Blobs> =>
  openS3Blobs(place(given), { part_bytes: PART, copy_bytes: 150_000 });

beforeEach(() => useCredentials(S3_CREDENTIALS));
afterEach(() => vi.unstubAllEnvs());

async function* once(content: Uint8Array) {
  yield content;
}

let blobs: Blobs;
beforeEach(async () => {
  blobs = await open();
});

describe('in a bucket', () => {
  const age = async (digest: string) => {
    const key = `a+b/c/${placeOf(digest)}`;
    const { content = Buffer.alloc(0) } = server().objects.get(key) ?? {};
    server().objects.set(key, { content, put_at: new Date(1_000_000) });
  };
  blobsSuite(() => blobs, { part_bytes: PART, age });
});

it('when blobs have come, then nothing else is left of their way', async () => {
  for (const size of [10, PART + 1, 3 * PART]) await blobs.put(once(randomBytes(size)), { max_bytes: size });
  await expect(blobs.put(once(randomBytes(3 * PART)), { max_bytes: 2 * PART })).rejects.toThrow();
  expect(server().uploads.size).toBe(0);
  expect([...server().objects.keys()]).toHaveLength(3);
  for (const key of server().objects.keys()) expect(key).toMatch(/^a\+b\/c\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/);
});

it('when a process was killed while it sent, then what it left is removed after a day', async () => {
  const { objects, uploads } = server();
  const at = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const upload = (key: string, began_at: Date) => ({ key, began_at, parts: new Map() });
  for (const [id, hours] of [
    ['old', 25],
    ['new', 23],
  ] as const) {
    uploads.set(id, upload(`a+b/c/incoming/${id}`, at(hours)));
    objects.set(`a+b/c/incoming/${id}`, { content: Buffer.from('half'), put_at: at(hours) });
  }
  uploads.set('other', upload('a+b/d/incoming/old', at(25)));
  await blobs.removeAbandoned();
  expect([...uploads.keys()]).toEqual(['new', 'other']);
  expect([...objects.keys()]).toEqual(['a+b/c/incoming/new']);
});

it('when the server is busy, then it is asked again', async () => {
  server().refusals.push('SlowDown', 'InternalError');
  const { digest } = await blobs.put(once(Buffer.from('one')), { max_bytes: 3 });
  expect(await blobs.has(digest)).toBe(true);
});

it('when the answer to the end of an upload is lost, then the blob is there all the same', async () => {
  const content = randomBytes(2 * PART);
  // Begun, two parts, ended.
  server().refusals.push('', '', '', 'LostAnswer');
  const { digest } = await blobs.put(once(content), { max_bytes: content.length });
  expect(await blobs.has(digest)).toBe(true);
  expect([server().refusals, server().uploads.size, server().objects.size]).toEqual([[], 0, 1]);
});

it.for(['put', 'get', 'has', 'delete', 'list', 'removeAbandoned'] as const)(
  'when the server refuses %s, then callers are told to come again',
  async (method) => {
    server().refusals.push('AccessDenied');
    const digest = `sha256:${'0'.repeat(64)}`;
    const calls = {
      put: () => blobs.put(once(randomBytes(2 * PART)), { max_bytes: 2 * PART }),
      get: () => blobs.get(digest),
      has: () => blobs.has(digest),
      delete: () => blobs.delete(digest),
      list: () => Array.fromAsync(blobs.list()),
      removeAbandoned: () => blobs.removeAbandoned(),
    };
    await expect(calls[method]()).rejects.toMatchObject({
      name: 'Problem',
      kind: 'unavailable',
      retry_after_s: 5,
      cause: { $metadata: { httpStatusCode: 403 } },
    });
  },
);

it('when the bucket can’t be used, then a check says why', async () => {
  await checkBucket(place());
  await expect(checkBucket(place({}, 'another-bucket'))).rejects.toThrow(
    'The bucket another-bucket can’t be used. There is no such bucket.',
  );
  server().refusals.push('AccessDenied');
  await expect(checkBucket(place())).rejects.toThrow('The credentials may not list what is in it.');
  useCredentials({ AWS_ACCESS_KEY_ID: 'nobody', AWS_SECRET_ACCESS_KEY: 'x' });
  await expect(checkBucket(place())).rejects.toThrow('The server does not know the access key.');
});

it('when the server is away, then a check passes, and callers are told to come again', async () => {
  const endpoint = 'http://127.0.0.1:1';
  await checkBucket(place({ endpoint }));
  const away = await open({ endpoint });
  await expect(away.has(`sha256:${'0'.repeat(64)}`)).rejects.toMatchObject({ kind: 'unavailable' });
});

it('when clients reach the bucket, then they read a blob there, with its headers', async () => {
  const reachable = await open({ public_endpoint: server().url });
  const content = randomBytes(1000);
  const { digest } = await reachable.put(once(content), { max_bytes: 1000 });
  const headers = { content_type: 'image/png', content_disposition: "attachment; filename*=UTF-8''a.png" };
  const address = (await reachable.address(digest, headers)) ?? '';
  const answer = await fetch(address);
  expect(Buffer.from(await answer.clone().arrayBuffer())).toEqual(content);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': "attachment; filename*=UTF-8''a.png",
  });
  expect(new URL(address).searchParams.get('X-Amz-Expires')).toBe('300');
  expect(address).not.toContain(S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY);
});
