import { silentLog } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { useFixturePerTest } from '@roadstead/testing';
import { engineDatabase } from '../testing/engine-database.ts';
import { StorageQuota } from './storage-quota.ts';
import { spareBytesOf, storageLevelOf, type StorageTrouble } from './storage-quota-rules.ts';
import { readDatabaseBytes, readSpareBytes } from './storage-store.ts';

const MB = 2 ** 20;
const fixture = useFixturePerTest(engineDatabase);

function openQuota() {
  const troubles: (StorageTrouble['code'] | undefined)[] = [];
  const notices: string[] = [];
  const quota = new StorageQuota({
    db: fixture().db,
    onTrouble: (trouble) => troubles.push(trouble?.code),
    onNotice: (level, message) => notices.push(`${level} ${message}`),
    log: silentLog,
    look_ms: { free: 20, full: 20 },
  });
  const hasRoom = () => {
    try {
      quota.requireRoom();
      return true;
    } catch {
      return false;
    }
  };
  return { quota, troubles, notices, hasRoom, [Symbol.asyncDispose]: () => quota[Symbol.asyncDispose]() };
}

/** Texts that can't be compressed. */
const fill = (mb: number) =>
  fixture().db.run(
    `insert into store (prefix, key, value)
     select 'filled', gen_random_uuid()::text, to_jsonb((select string_agg(md5(random()::text || n || m), '') from generate_series(1, 160) m))
     from generate_series(1, $1::int) n`,
    [mb * 200],
  );

test('when a database fills up, then it is told of once, and what is deleted makes room again', async () => {
  const before = await readDatabaseBytes(fixture().db);
  await using opened = openQuota();
  const { quota, troubles, notices, hasRoom } = opened;
  const quota_bytes = before + 8 * MB;
  quota.set(quota_bytes);
  await fill(10);
  await expect.poll(() => troubles.at(-1)).toBe('database_full');
  expect(() => quota.requireRoom()).toThrow(
    expect.objectContaining({ kind: 'limit', code: 'database_full', retry_after_s: 60 }),
  );
  expect(notices.filter((line) => line.startsWith('ERROR'))).toHaveLength(1);
  await fixture().db.run(`delete from store where prefix = 'filled'`);
  await expect.poll(hasRoom).toBe(true);
  await expect.poll(() => troubles.at(-1)).toBeUndefined();
  expect(notices.at(-1)).toContain('INFO The database of the deployment has room again');
});

test('when rows are deleted while others use their table, then there is room, and nobody waits', async () => {
  const before = await readDatabaseBytes(fixture().db);
  await using opened = openQuota();
  const { quota, hasRoom } = opened;
  await fill(4);
  quota.set(before + 2 * MB);
  await expect.poll(hasRoom).toBe(false);
  await fixture().db.transaction(async (tx) => {
    await tx.run(`select from store limit 1`);
    await fixture().db.run(`delete from store where prefix = 'filled'`);
    await expect.poll(hasRoom).toBe(true);
    const waiting = `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`;
    expect(await fixture().db.query(waiting)).toEqual([]);
  });
});

test('when the rows cannot be counted, then all files count, and closing does not wait', async () => {
  const opened = openQuota();
  const { quota, hasRoom } = opened;
  await fill(2);
  await fixture().db.run(`delete from store where prefix = 'filled'`);
  await fixture().db.transaction(async (tx) => {
    await tx.run('lock table store in access exclusive mode');
    quota.set(await readDatabaseBytes(tx));
    await expect.poll(hasRoom).toBe(false);
    await opened[Symbol.asyncDispose]();
  });
});

test('when half of the rows are deleted, then half of the files is spare, and none before', async () => {
  const { signal } = new AbortController();
  const { db } = fixture();
  await fill(8);
  expect(await readSpareBytes(db, signal)).toBeLessThan(MB);
  await db.run(`delete from store where prefix = 'filled' and get_byte(decode(md5(key), 'hex'), 0) % 2 = 0`);
  const spare = await readSpareBytes(db, signal);
  expect(spare).toBeGreaterThan(3 * MB);
  expect(spare).toBeLessThan(6 * MB);
});

test('when the quota is taken away, then runs begin at once, and its trouble is over', async () => {
  await using opened = openQuota();
  const { quota, troubles, hasRoom } = opened;
  quota.set(1);
  await expect.poll(hasRoom).toBe(false);
  quota.set(undefined);
  expect(hasRoom()).toBe(true);
  expect(troubles).toEqual(['database_full', undefined]);
});

test.each([
  [89, 'free', 'free'],
  [90, 'free', 'filling'],
  [86, 'filling', 'filling'],
  [84, 'filling', 'free'],
  [100, 'free', 'full'],
  [99, 'full', 'filling'],
  [10, 'full', 'free'],
] as const)('when %i percent is taken and it was %s, then it is %s', (bytes, before, after) => {
  expect(storageLevelOf({ bytes, quota_bytes: 100, before })).toBe(after);
});

test.each([
  ['all pages are full', { bytes: 80_000, pages: 10 }, { rows: 1000, bytes: 45_000 }, 0],
  ['all rows are gone', { bytes: 80_000, pages: 10 }, { rows: 0, bytes: 0 }, 80_000],
  ['half of the pages are read', { bytes: 4e7, pages: 4096 }, { rows: 1e5, bytes: 6.8e6 }, 1.8e7],
])('when %s, then what the rows do not take is spare', (_, files, sample, spare) => {
  expect(spareBytesOf(files, sample)).toBeCloseTo(spare, 0);
});
