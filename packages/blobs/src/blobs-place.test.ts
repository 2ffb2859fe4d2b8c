import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '@roadstead/kit';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { blobsSettings, openBlobs, openPlaces, readBlobsPlace } from './blobs-place.ts';

const folder = useFolderPerTest('place-');
const read = (environment: Record<string, string>, given?: string) =>
  readBlobsPlace(readConfig(blobsSettings, { ...environment }), given);

it.for([
  [{}, { kind: 'folder', path: '/data' }],
  [{ ROADSTEAD_BLOBS_URL: 'file:/var/lib/road stead' }, { kind: 'folder', path: '/var/lib/road stead' }],
  [{ ROADSTEAD_BLOBS_URL: 'file:///var/lib/x' }, { kind: 'folder', path: '/var/lib/x' }],
  [{ ROADSTEAD_BLOBS_URL: 's3://bucket' }, { kind: 's3', bucket: 'bucket', prefix: '' }],
  [{ ROADSTEAD_BLOBS_URL: 's3://my.bucket-1/' }, { kind: 's3', bucket: 'my.bucket-1', prefix: '' }],
  [{ ROADSTEAD_BLOBS_URL: 's3://bucket/a/b/' }, { kind: 's3', bucket: 'bucket', prefix: 'a/b/' }],
] as const)('when %j is set, then blobs lie there', ([environment, place]) => {
  expect(read(environment, '/data').now).toMatchObject(place);
});

it.for([
  'bucket',
  'file:relative',
  'file://host/path',
  's3:bucket',
  's3://',
  's3://Bucket_1',
  's3://bucket?region=eu',
  's3://key:secret@bucket',
  's3://:secret@bucket',
  's3://bucket/%zz',
  'file:///a%2Fb',
  'https://bucket.s3.amazonaws.com',
])('when ROADSTEAD_BLOBS_URL is %j, then it is refused, with an example', (url) => {
  expect(() => read({ ROADSTEAD_BLOBS_URL: url })).toThrow(
    'ROADSTEAD_BLOBS_URL is not usable: must be the address of a folder or a bucket, such as file:/var/lib/roadstead or s3://bucket/prefix.',
  );
});

it('when no setting says where blobs lie, then one is asked for', () => {
  expect(() => read({})).toThrow('ROADSTEAD_BLOBS_URL is needed');
});

it.for([
  [{}, {}, undefined],
  [{ ROADSTEAD_S3_ENDPOINT: 'http://s3.internal:9000/' }, {}, 'us-east-1'],
  [{}, { AWS_REGION: 'eu-central-1', AWS_DEFAULT_REGION: 'eu-west-1' }, 'eu-central-1'],
  [{}, { AWS_DEFAULT_REGION: 'eu-west-1' }, 'eu-west-1'],
] as const)('when %j and %j are set, then the region of the bucket is %j', ([given, aws, region]) => {
  const environment = { ROADSTEAD_BLOBS_URL: 's3://bucket', ...given };
  const place = readBlobsPlace(readConfig(blobsSettings, environment), undefined, aws);
  expect(place.now).toMatchObject({ access: { region } });
  expect(structuredClone(place)).toEqual(place);
});

it('when addresses of a server are set, then the bucket has them', () => {
  const place = read({
    ROADSTEAD_BLOBS_URL: 's3://bucket',
    ROADSTEAD_FORMER_BLOBS_URL: 'file:/data',
    ROADSTEAD_S3_ENDPOINT: 'http://s3.internal:9000/',
    ROADSTEAD_S3_PUBLIC_ENDPOINT: 'https://s3.example.com',
  });
  expect(place).toMatchObject({
    now: { access: { endpoint: 'http://s3.internal:9000', public_endpoint: 'https://s3.example.com' } },
    former: { kind: 'folder', path: '/data' },
  });
});

it('when two addresses lead to one place, then nothing is moved', async () => {
  const [now, link] = [join(folder(), 'now'), join(folder(), 'link')];
  await mkdir(now);
  await symlink(now, link);
  const places = (former: string) =>
    openPlaces(
      read({ ROADSTEAD_BLOBS_URL: `file:${now}`, ROADSTEAD_FORMER_BLOBS_URL: `file:${former}` }),
      'blobs',
    );
  await expect(places(link)).rejects.toThrow('lead to the same place');
  await expect(openPlaces(read({ ROADSTEAD_BLOBS_URL: `file:${now}` }), 'blobs')).rejects.toThrow(
    'ROADSTEAD_FORMER_BLOBS_URL is needed',
  );
  const { from, to } = await places(join(folder(), 'another'));
  for (const blobs of [from, to]) expect(await Array.fromAsync(blobs.list())).toEqual([]);
});

it('when two stores of a place are opened, then neither has what the other has', async () => {
  const place = read({ ROADSTEAD_BLOBS_URL: `file:${folder()}` });
  const [blobs, attachments] = [await openBlobs(place, 'blobs'), await openBlobs(place, 'attachments')];
  const { digest } = await blobs.put(new Blob(['one']).stream(), { max_bytes: 3 });
  expect([await blobs.has(digest), await attachments.has(digest)]).toEqual([true, false]);
  expect((await readdir(folder())).toSorted()).toEqual(['attachments', 'blobs']);
});
