import { freshDatabase, useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { oncePer, periodicWorkTable, whileClaimed } from './shared-work.ts';

const HOUR_MS = 3_600_000;

const fresh = useFixture(() => freshDatabase('shared_work'));
const open = async (schema: string) => {
  const db = openDatabase({ url: fresh().url, max: 4, name: 'shared work', schema });
  await migrate(db, { schema, migrations: [{ id: 1, name: 'periodic work', sql: periodicWorkTable }] });
  return db;
};

it('when somebody holds a claim, then nobody else gets it, and a holder that fails lets it go', async () => {
  await using db = await open('claims');
  await using neighbour = await open('neighbours');
  const nothing = { work: async () => undefined };
  const held = await whileClaimed(db, 'a', {
    work: async () => {
      expect(await whileClaimed(db, 'a', nothing)).toBe(false);
      expect(await whileClaimed(db, 'b', nothing)).toBe(true);
      expect(await whileClaimed(neighbour, 'a', nothing)).toBe(true);
    },
  });
  expect(held).toBe(true);
  const failing = whileClaimed(db, 'a', { work: async () => Promise.reject(new Error('it broke')) });
  await expect(failing).rejects.toThrow('it broke');
  expect(await whileClaimed(db, 'a', nothing)).toBe(true);
});

it('when work is due each hour, then one of two instances does it, and what failed is due', async () => {
  await using db = await open('hourly');
  await using other = await open('hourly');
  const done: string[] = [];
  const sweep = (name: string) => ({
    schema: 'hourly',
    name: 'sweep',
    every_ms: HOUR_MS,
    work: async () => {
      const again_ms = await oncePer(other, { ...sweep('nobody'), work: () => Promise.reject(new Error()) });
      expect(again_ms).toBeLessThan(HOUR_MS);
      done.push(name);
    },
  });
  const failing = { ...sweep('failing'), work: () => Promise.reject(new Error('it broke')) };
  await expect(oncePer(db, failing)).rejects.toThrow('it broke');
  expect(await oncePer(db, sweep('first'))).toBe(HOUR_MS);
  const left_ms = await oncePer(other, sweep('second'));
  expect([left_ms > 0.99 * HOUR_MS, left_ms <= HOUR_MS, done]).toEqual([true, true, ['first']]);
  await db.run(`update periodic_work set done_at = now() - interval '61 minutes'`);
  expect(await oncePer(other, sweep('second'))).toBe(HOUR_MS);
  expect(done).toEqual(['first', 'second']);
});
