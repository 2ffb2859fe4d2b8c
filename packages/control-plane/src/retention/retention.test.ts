import { afterEach, beforeEach, expect, test } from 'vitest';
import { deployed, type Fixture, push, revisionsOf, startFixture, until } from '../testing/fixture.ts';
import { terminalStatuses } from '../revisions/revision-store.ts';
import { expireArtifacts, removeOldUploads, takeUnusedBlobs } from './retention-store.ts';

let fixture: Fixture;
beforeEach(async () => (fixture = await startFixture()));
afterEach(() => fixture[Symbol.asyncDispose]());

const age = () =>
  fixture.db.run(
    `update stored_blobs set put_at = now() - interval '2 days'; update uploads set created_at = now() - interval '2 days'`,
  );
const blobs = async () =>
  (await fixture.db.query<{ digest: string }>('select digest from stored_blobs')).map((row) => row.digest);

test('artifacts and sources of the newest revisions and of the active one are kept, the rest goes', async () => {
  const listener = fixture.listener();
  const { id } = await deployed(fixture, 'old', listener);
  const [active] = await revisionsOf(fixture, id);
  for (let number = 3; number <= 14; number += 1) {
    await push(fixture, id, `content ${number}`);
    const news = await listener.next(id);
    await listener.build(news);
    await listener.observe(news, { phase: 'health', outcome: 'failed' });
  }
  await age();
  await expireArtifacts(fixture.db, terminalStatuses);
  await removeOldUploads(fixture.db, terminalStatuses);
  const gone = await fixture.db.transaction((tx) => takeUnusedBlobs(tx, terminalStatuses, 100));
  const revisions = await revisionsOf(fixture, id);
  expect(revisions.filter((one) => one.artifact_digest !== null).map((one) => one.number)).toEqual([
    14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 2,
  ]);
  // Of revisions 3 and 4 the source and the artifact.
  expect(gone).toHaveLength(4);
  expect(await blobs()).toContain(active?.artifact_digest);
  expect(await blobs()).toHaveLength(22);
  const third = revisions.find((one) => one.number === 3);
  await expect(
    fixture.client().redeployRevision({ params: { deployment_id: id, revision_id: third?.id ?? '' } }),
  ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('ten newest') as string });
});

test('of an erased deployment no bytes stay, and what was put just now does', async () => {
  const listener = fixture.listener();
  const { id } = await deployed(fixture, 'gone', listener);
  const stored = await blobs();
  expect(stored).toHaveLength(2);
  const params = { deployment_id: id };
  await fixture.client().deleteDeployment({ params, query: { force: 'true' } });
  await listener.reach(await listener.next(id, (news) => news.removed));
  await listener.reach(await listener.next(id, (news) => news.purge));
  await until(async () => (await fixture.db.query('select id from deployments')).length === 0, 'erasure');
  expect(await fixture.db.transaction((tx) => takeUnusedBlobs(tx, terminalStatuses, 100))).toEqual([]);
  await age();
  await fixture.restart();
  await until(async () => (await blobs()).length === 0, 'removal of blobs');
  for (const digest of stored) expect(await fixture.blobs.get(digest)).toBeUndefined();
});
