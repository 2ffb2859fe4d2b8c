import { expect, test } from 'vitest';
import { createLog } from '@roadstead/kit';
import { freshDatabase } from '@roadstead/testing';
import { openConnections } from './connections.ts';

test('when a search takes too long, then it is cancelled and says so', async () => {
  await using fresh = await freshDatabase();
  const log = createLog({ level: 'error' });
  const opening = { deployment_id: 'one', database_url: fresh.url, search_ms: 100, log };
  await using opened = await openConnections(opening);
  const { searches, db } = opened;
  const sentence = {
    kind: 'invalid',
    message: 'The search took longer than 0.1 seconds and was cancelled.',
  };
  const slow = 'select pg_sleep(20)';
  const slowly = [
    () => searches.query(slow),
    () => searches.one(slow),
    () => searches.transaction((tx) => tx.query(slow)),
  ];
  for (const ask of slowly) await expect(ask()).rejects.toMatchObject(sentence);
  await expect(searches.query('select no_such_column')).rejects.not.toMatchObject(sentence);
  // However many are under way, runs have connections of their own.
  const searching = Promise.allSettled(Array.from({ length: 8 }, () => searches.query(slow)));
  expect(await db.one('select 1 as one')).toEqual({ one: 1 });
  await searching;
});
