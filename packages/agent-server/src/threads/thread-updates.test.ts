import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineDatabase, type EngineDatabase } from '../testing/engine-database.ts';

let database: EngineDatabase;
beforeAll(async () => {
  database = await engineDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

test.each([
  ['of the same hour', '2026-03-01T10:59:59Z', 1],
  ['of the next hour', '2026-03-01T11:00:00Z', 0],
])('a second change %s: new entries in indexes only where an hour has begun', async (_what, at, hot) => {
  const seen = await database.db.transaction(async (tx) => {
    const count = async () =>
      (
        await tx.one<{ hot: number }>(
          `select pg_stat_get_xact_tuples_hot_updated('threads'::regclass)::int as hot`,
        )
      ).hot;
    await tx.run(
      `insert into threads (thread_id, updated_at, metadata) values (gen_random_uuid(), '2026-03-01T10:00:00Z', '{"user": "a"}')`,
    );
    const before = await count();
    await tx.run(
      `update threads set updated_at = $1, status = 'error' where updated_at = '2026-03-01T10:00:00Z'`,
      [at],
    );
    return (await count()) - before;
  });
  expect(seen).toBe(hot);
});

test('the newest threads are read from the index', async () => {
  const { db } = database;
  await db.run(
    `insert into threads (thread_id, updated_at) select gen_random_uuid(), now() - i * interval '1 minute' from generate_series(1, 5000) as i`,
  );
  await db.run('analyze threads');
  const plan = await db.query<{ 'QUERY PLAN': string }>(
    'explain select thread_id from threads t order by t.updated_hour desc, t.updated_at desc, t.thread_id desc limit 10',
  );
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('threads_by_hour');
});
