import { expect, test } from 'vitest';
import { engineDatabase } from '../testing/engine-database.ts';
import { takeEpoch } from './run-store.ts';

test('when an opening is given up while it waits for the epoch, then the owner keeps the epoch', async () => {
  await using own = await engineDatabase();
  const { db } = own;
  const epoch = await own.takeEpoch();
  const stop = new AbortController();
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const taken = await db.transaction(async (tx) => {
    await tx.one('select epoch from engine for update');
    const taking = takeEpoch(db, stop.signal).then(
      () => 'taken',
      (error: Error) => error.message,
    );
    // Not by the transaction, which sees once and for all who waits.
    await expect.poll(async () => (await db.query(waiting)).length).toBe(1);
    stop.abort(new Error('given up'));
    return { taking };
  });
  expect(await taken.taking).toBe('given up');
  expect(await db.one('select epoch from engine')).toEqual({ epoch });
  await expect(takeEpoch(db, stop.signal)).rejects.toThrow('given up');
  expect(await own.takeEpoch()).toBe(epoch + 1);
});
