import { randomBytes, randomUUID } from 'node:crypto';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { isNamed } from '@roadstead/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Blobs } from './blobs.ts';
import { checkBucket, openS3Blobs } from './s3-blobs.ts';
import { createS3Client, type S3Access } from './s3-bucket.ts';
import { blobsSuite } from './testing/blobs-suite.ts';
import { S3_CREDENTIALS, useCredentials } from './testing/s3-credentials.ts';

const { ROADSTEAD_TEST_S3: endpoint = '' } = process.env;
const has_s3 = isNamed('Blobs in a bucket of a real server are', { ROADSTEAD_TEST_S3: endpoint });
/** The least that S3 takes. */
const PART = 5 * 1024 ** 2;
const access: S3Access = { endpoint, public_endpoint: endpoint, region: 'us-east-1' };

describe.skipIf(!has_s3)('in a bucket of a real server (ROADSTEAD_TEST_S3)', () => {
  const bucket = `roadstead-${randomUUID()}`;
  const place = { bucket, prefix: 'of/tests/', access };
  let blobs: Blobs;
  beforeEach(() => useCredentials(S3_CREDENTIALS));
  afterEach(() => vi.unstubAllEnvs());
  beforeAll(async () => {
    useCredentials(S3_CREDENTIALS);
    const client = createS3Client(await import('@aws-sdk/client-s3'), access);
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    // Copies go in ranges as well.
    blobs = await openS3Blobs(place, { part_bytes: PART, copy_bytes: 2 * PART });
  });

  blobsSuite(() => blobs, { part_bytes: PART });

  it('when a client is sent to the bucket, then it reads the blob with its headers, or a range', async () => {
    const content = randomBytes(1000);
    const { digest } = await blobs.put(new Blob([content]).stream(), { max_bytes: 1000 });
    const address =
      (await blobs.address(digest, { content_type: 'image/png', content_disposition: 'inline' })) ?? '';
    const whole = await fetch(address);
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(content);
    expect([whole.headers.get('content-type'), whole.headers.get('content-disposition')]).toEqual([
      'image/png',
      'inline',
    ]);
    const part = await fetch(address, { headers: { range: 'bytes=10-19' } });
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, content.subarray(10, 20)]);
    const forged = await fetch(address.replace(/X-Amz-Signature=./, 'X-Amz-Signature=_'));
    expect(forged.status).toBe(403);
  });

  it('when the bucket or a key is wrong, then a check says why', async () => {
    await checkBucket(place);
    await expect(checkBucket({ ...place, bucket: `no-${bucket}` })).rejects.toThrow(
      'There is no such bucket.',
    );
    useCredentials({ ...S3_CREDENTIALS, AWS_SECRET_ACCESS_KEY: 'wrong' });
    await expect(checkBucket(place)).rejects.toThrow('The secret access key is not that of the access key.');
  });
});
