import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { removeUnrecorded } from '../blobs/blob-removal-work.ts';
import { recordBlob } from '../blobs/stored-blob-store.ts';
import { createRequest, deployed, push, revisionsOf, startFixture, until } from '../testing/fixture.ts';
import { terminalStatuses } from '../records/revision-store.ts';
import { expireArtifacts, removeOldUploads, takeUnusedBlobs } from './retention-store.ts';

const fixture = useFixturePerTest(startFixture);
const client = () => fixture().client();

const age = () =>
  fixture().db.run(
    `update stored_blobs set put_at = now() - interval '2 days'; update uploads set created_at = now() - interval '2 days'`,
  );
const blobs = async () =>
  (await fixture().db.query<{ digest: string }>('select digest from stored_blobs')).map((row) => row.digest);

test('when revisions grow old, then artifacts and sources of the active and the newest are kept', async () => {
  const listener = fixture().listener();
  const { id } = await deployed(fixture(), 'old', listener);
  const [active] = await revisionsOf(fixture(), id);
  for (let number = 3; number <= 14; number += 1) {
    await push(fixture(), id, `content ${number}`);
    const news = await listener.next(id);
    await listener.build(news);
    await listener.observe(news, { phase: 'health', outcome: 'failed' });
  }
  await age();
  await expireArtifacts(fixture().db, terminalStatuses);
  await removeOldUploads(fixture().db, terminalStatuses);
  const gone = await fixture().db.transaction((tx) =>
    takeUnusedBlobs(tx, { terminal: terminalStatuses, limit: 100 }),
  );
  const revisions = await revisionsOf(fixture(), id);
  expect(revisions.filter((one) => one.artifact_digest !== null).map((one) => one.number)).toEqual([
    14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 2,
  ]);
  // The source and the artifact of revisions 3 and 4.
  expect(gone).toHaveLength(4);
  expect(await blobs()).toContain(active?.artifact_digest);
  expect(await blobs()).toHaveLength(22);
  const third = revisions.find((one) => one.number === 3);
  await expect(
    client().redeployRevision({ params: { deployment_id: id, revision_id: third?.id ?? '' } }),
  ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('ten newest') as string });
});

test('when a deployment is erased, then none of its bytes stay, and what was put just now does', async () => {
  const listener = fixture().listener();
  const { id } = await deployed(fixture(), 'gone', listener);
  const stored = await blobs();
  expect(stored).toHaveLength(2);
  const params = { deployment_id: id };
  await client().deleteDeployment({ params, query: { force: 'true' } });
  await listener.reach(await listener.next(id, (news) => news.removed));
  await listener.reach(await listener.next(id, (news) => news.purge));
  await until(async () => (await fixture().db.query('select id from deployments')).length === 0, 'erasure');
  expect(
    await fixture().db.transaction((tx) => takeUnusedBlobs(tx, { terminal: terminalStatuses, limit: 100 })),
  ).toEqual([]);
  await age();
  await fixture().restartLater();
  await until(async () => (await blobs()).length === 0, 'removal of blobs');
  for (const digest of stored)
    await until(async () => !(await fixture().blobs.has(digest)), 'removal of bytes');
});

const put = (text: string) =>
  fixture().blobs.put([Buffer.from(text)] as unknown as AsyncIterable<Uint8Array>, { max_bytes: 1000 });
const makeOld = ({ digest }: { digest: string }) =>
  utimes(join(fixture().blob_folder, digest.slice(7, 9), digest.slice(7)), 1, 1);

test('when bytes were never recorded, then they go after a day; young and noted ones stay', async () => {
  const [old, young, noted] = [await put('old'), await put('young'), await put('noted')];
  await fixture().db.transaction((tx) => recordBlob(tx, noted));
  await makeOld(old);
  await makeOld(noted);
  await fixture().restartLater();
  await until(async () => !(await fixture().blobs.has(old.digest)), 'removal of what nobody recorded');
  expect(await fixture().blobs.has(young.digest)).toBe(true);
  expect(await fixture().blobs.has(noted.digest)).toBe(true);
  expect(await blobs()).toEqual([noted.digest]);
});

test('when a second archive comes for one address, then it is refused, and does not stay', async () => {
  const { id } = await client().createDeployment({ body: createRequest('mine') });
  const { upload_url } = await client().createUploadAddress({ params: { deployment_id: id } });
  const send = (text: string) =>
    fixture().fetch(new Request(upload_url, { method: 'PUT', body: gzipSync(text) }));
  const statuses = [(await send('one')).status, (await send('two')).status, (await send('one')).status];
  expect(statuses).toEqual([200, 409, 200]);
  const left: string[] = [];
  for await (const { digest } of fixture().blobs.list()) left.push(digest);
  expect(left).toEqual(await blobs());
});

test('when bytes are noted while they are removed, then what was noted is never taken', async () => {
  for (let round = 0; round < 30; round += 1) {
    const blob = await put('the same bytes');
    const [, isThere] = await Promise.all([
      removeUnrecorded(fixture(), blob.digest),
      fixture()
        .db.transaction((tx) => recordBlob(tx, blob))
        .then(() => fixture().blobs.has(blob.digest)),
    ]);
    // Blobs that were asked for after they were noted stay.
    expect(await fixture().blobs.has(blob.digest)).toBe(isThere);
    await fixture().db.run('delete from stored_blobs');
  }
});
