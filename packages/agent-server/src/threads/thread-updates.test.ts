import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { type ThreadFilter, searchThreads } from './thread-search-store.ts';
import { engineDatabase } from '../testing/engine-database.ts';

const database = useFixture(engineDatabase);

test.each([
  ['of the same hour', '2026-03-01T10:59:59Z', 1],
  ['of the next hour', '2026-03-01T11:00:00Z', 0],
])(
  'when a second change is %s, then indexes get new entries only where an hour has begun',
  async (_what, at, hot) => {
    const seen = await database().db.transaction(async (tx) => {
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
        `update threads set updated_at = $1, state_updated_at = $1, status = 'idle', values = '{}' where updated_at = '2026-03-01T10:00:00Z'`,
        [at],
      );
      return (await count()) - before;
    });
    expect(seen).toBe(hot);
  },
);

const searches: readonly (readonly [string, ThreadFilter, string])[] = [
  ['the newest', { within: [] }, 'threads_by_hour'],
  ['those that wait', { within: [], status: 'interrupted' }, 'threads_not_idle'],
  ['those of a user', { within: [{ user: '7' }] }, 'threads_by_metadata'],
];

test.each(searches)(
  'when threads are searched, then an index finds them: %s',
  async (_which, filter, index) => {
    const { db } = database();
    await db.run(
      `insert into threads (thread_id, updated_at, metadata, status)
     select gen_random_uuid(), now() - i * interval '1 minute', jsonb_build_object('user', i::text),
       case when i % 500 = 0 then 'interrupted' else 'idle' end from generate_series(1, 5000) as i`,
    );
    await db.run('analyze threads');
    const asked: string[] = [];
    const explained = {
      ...db,
      query: async <T extends object>(text: string, values?: readonly unknown[]): Promise<T[]> => {
        const plan = await db.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        asked.push(...plan.map((row) => row['QUERY PLAN']));
        return db.query<T>(text, values);
      },
    };
    const page = { sort_by: 'updated_at', sort_order: 'desc', limit: 10, offset: 0 } as const;
    await searchThreads(explained, { filter, page: { ...page, fields: ['metadata'], extract: [] } });
    expect(asked.join('\n')).toContain(index);
  },
);
