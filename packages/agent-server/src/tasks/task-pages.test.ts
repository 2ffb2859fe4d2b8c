import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { engineDatabase } from '../testing/engine-database.ts';
import { listTasks } from './task-list-store.ts';
import type { TaskQuery } from './task-engine.ts';

const TASKS = 6000;
const owner = { principal: 'user:ada', assistant_id: uuidv7() };
const query = { limit: 100, with_history: false, with_artifacts: false };

const database = useFixture(engineDatabase);
beforeAll(async () => {
  // Each on a thread of its own: half of them blue, one in a hundred rare.
  await database().db.run(
    `with made as (
       insert into threads (thread_id, metadata)
       select gen_random_uuid(), jsonb_build_object('n', n, 'blue', n % 2 = 0, 'rare', n % 100 = 0)
       from generate_series(1, ${TASKS}) n returning thread_id, (metadata ->> 'n')::integer as n
     )
     insert into tasks (task_id, principal, assistant_id, context_id, thread_id, run_id, context_key, message_id, state, status,
       status_at, history, artifacts, seq)
     select gen_random_uuid(), $1, $2, thread_id::text, thread_id, gen_random_uuid(), '', n::text, s.status ->> 'state', s.status,
       (s.status ->> 'at')::timestamptz, '[]', '[]', 1
     from made, lateral (select jsonb_build_object('state', case when n % 3 = 0 then 'failed' else 'completed' end,
       'at', to_char(timestamp '2026-01-01' + (n - 1) / 2 * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as status) s`,
    [owner.principal, owner.assistant_id],
  );
  await database().db.run('vacuum analyze tasks');
  await database().db.run('analyze threads');
});

const page = (within: Readonly<Record<string, unknown>>, more: Partial<TaskQuery> = {}) =>
  listTasks(database().db, { owner: { ...owner, within }, query: { ...query, ...more } });

test.each([
  ['many', { blue: true }, 3000],
  ['few', { rare: true }, 60],
])(
  'when a filter lets %s threads through, then every task stands on one page',
  async (_how, within, count) => {
    const seen: string[] = [];
    for (let after: TaskQuery['after'], more = true; more;) {
      const { tasks, has_more } = await page(within, { after });
      seen.push(...tasks.map(({ status, id }) => `${status.at} ${id}`));
      const last = tasks.at(-1);
      after = last && { at: last.status.at, task_id: last.id };
      more = has_more;
    }
    expect([seen.length, new Set(seen).size]).toEqual([count, count]);
    const times = seen.map((one) => Date.parse(one.slice(0, 24)));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  },
);

test.each([
  ['of few threads all tasks', { rare: true }, {}, 60],
  ['of few threads those of a state', { rare: true }, { state: 'failed' }, 20],
  ['of many threads those among the newest 5,000', { blue: true }, {}, 2500],
  ['of many threads those of a state, as far as these are fewer', { blue: true }, { state: 'failed' }, 1000],
  ['of no thread none', { blue: 'no' }, {}, 0],
] as const)('when tasks are counted, then they are: %s', async (_which, within, more, total) => {
  expect((await page(within, more)).total).toBe(total);
});

test('when a page is read, then only the threads that it shows are', async () => {
  const asked: [string, readonly unknown[]][] = [];
  const db = {
    ...database().db,
    query: <T extends object>(sql: string, given: readonly unknown[] = []) => {
      asked.push([sql, given]);
      return database().db.query<T>(sql, given);
    },
  };
  await listTasks(db, { owner: { ...owner, within: { blue: true } }, query });
  const [text, values] = asked.find(([sql]) => sql.includes('with page')) ?? ['', []];
  const plan = await database().db.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
  const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(lines).toContain('Index Only Scan using tasks_by_status_time');
  expect(lines).not.toMatch(/Seq Scan|Hash Join|Sort/);
});
