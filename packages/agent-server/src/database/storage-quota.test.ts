import { silentLog } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { useFixturePerTest } from '@roadstead/testing';
import { engineDatabase } from '../testing/engine-database.ts';
import { StorageQuota } from './storage-quota.ts';
import { storageLevelOf, type StorageTrouble, tablesToCompact } from './storage-quota-rules.ts';
import { readDatabaseBytes } from './storage-store.ts';

const MB = 2 ** 20;
const fixture = useFixturePerTest(engineDatabase);

function openQuota(isBusy: () => boolean = () => false) {
  const troubles: (StorageTrouble['code'] | undefined)[] = [];
  const notices: string[] = [];
  const quota = new StorageQuota({
    db: fixture().db,
    isBusy,
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
  await expect.poll(hasRoom, { timeout: 20_000 }).toBe(true);
  await expect.poll(() => troubles.at(-1)).toBeUndefined();
  expect(notices.at(-1)).toContain('INFO The database of the deployment has room again');
  expect(await readDatabaseBytes(fixture().db)).toBeLessThan(quota_bytes);
});

test('when a run is under way, then no table is written again until it has ended', async () => {
  let busy = true;
  await using opened = openQuota(() => busy);
  const { quota, hasRoom } = opened;
  const before = await readDatabaseBytes(fixture().db);
  await fill(4);
  await fixture().db.run(`delete from store where prefix = 'filled'`);
  quota.set(before + 2 * MB);
  await expect.poll(hasRoom).toBe(false);
  const full = await readDatabaseBytes(fixture().db);
  expect(full).toBeGreaterThan(before + 2 * MB);
  busy = false;
  await expect.poll(hasRoom, { timeout: 20_000 }).toBe(true);
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
] as const)('when %i %% is taken and it was %s, then it is %s', (bytes, before, after) => {
  expect(storageLevelOf({ bytes, quota_bytes: 100, before })).toBe(after);
});

test('when few rows of a table are gone, then it is left as it is', () => {
  const tables = [
    { name: 'much', rows: 10, deleted: 90 },
    { name: 'little', rows: 1000, deleted: 3 },
    { name: 'earlier', rows: 10, deleted: 90 },
    { name: 'empty', rows: 0, deleted: 0 },
  ];
  const found = tablesToCompact(tables, new Map([['earlier', 90]]));
  expect(found.map(({ name }) => name)).toEqual(['much']);
});
