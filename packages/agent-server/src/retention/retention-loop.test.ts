import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { ThreadTtl } from '@roadstead/contracts/langgraph-json';
import { silentLog } from '@roadstead/kit';
import { type Database, migrate, openDatabase } from '@roadstead/postgres';
import { freshDatabase, useFixturePerTest } from '@roadstead/testing';
import { ENGINE_SCHEMA, engineMigrations } from '../database/engine-migrations.ts';
import type { EndedRun } from '../runs/run.ts';
import { withoutIndex } from '../store/items.ts';
import { Threads } from '../threads/threads.ts';
import { Retention } from './retention-loop.ts';

let ends: (() => void)[];
let settings: ThreadTtl | null;
let looked: PromiseWithResolvers<void>;
/** Happens before a thread is pruned. */
let meanwhile: () => Promise<unknown>;

const database = useFixturePerTest(freshDatabase);
const db = useFixturePerTest(() =>
  openDatabase({ url: database().url, max: 2, name: 'test', schema: ENGINE_SCHEMA }),
);
beforeEach(async () => {
  await migrate(db(), { schema: ENGINE_SCHEMA, migrations: engineMigrations });
  ends = [];
  looked = Promise.withResolvers();
  settings = null;
  meanwhile = async () => undefined;
});
const retention = useFixturePerTest(() => {
  const runs = {
    onEnded: (listener: (ended: EndedRun) => void) => {
      ends.push(() => listener({} as EndedRun));
      return { [Symbol.dispose]: () => undefined };
    },
    unfinished: () => [],
    cancel: () => Promise.reject(new Error('unused')),
    ended: () => Promise.reject(new Error('unused')),
    whileIdle: async <T>(_thread_id: string, work: () => Promise<T>) => {
      await meanwhile();
      return await work();
    },
  };
  const threads = new Threads({
    db: db(),
    searches: db(),
    epoch: 0,
    runs,
    states: {} as never,
    onExpiry: () => undefined,
  });
  return new Retention({
    searches: Object.assign(Object.create(db()) as Database, {
      run: async (sql: string, values?: readonly unknown[]) => {
        if (sql.includes('from engine')) looked.resolve();
        return db().run(sql, values);
      },
    }),
    epoch: 0,
    threads,
    runs,
    settings: () => ({ threads: settings, items_sweep_minutes: null }),
    apart_ms: 20,
    log: silentLog,
  });
});

async function thread(columns: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const thread_id = randomUUID();
  const names = Object.keys(columns);
  await db().run(
    `insert into threads (${['thread_id', ...names].join(', ')}) values (${['thread_id', ...names].map((_, at) => `$${at + 1}`).join(', ')})`,
    [thread_id, ...Object.values(columns)],
  );
  for (const id of ['1', '2'])
    await db().run(
      `insert into checkpoints (thread_id, checkpoint_id, checkpoint) values ($1, $2, '{"v": 4}')`,
      [thread_id, id],
    );
  return thread_id;
}

const left = async () =>
  await db().query<{ thread_id: string; count: number }>(
    'select t.thread_id, (select count(*) from checkpoints c where c.thread_id = t.thread_id::text) as count from threads t',
  );
const idsLeft = async () => (await left()).map(({ thread_id }) => thread_id).toSorted();
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

test('when a thread’s time is over, then it goes, and others stay', async () => {
  const kept = [
    await thread(),
    await thread({ ttl_strategy: 'delete', ttl_minutes: 60, expires_at: ago(-60) }),
  ];
  await thread({ ttl_strategy: 'delete', ttl_minutes: 1, expires_at: ago(1) });
  retention().wake();
  await expect.poll(idsLeft).toEqual(kept.toSorted());
});

test('when the next time is over, then the loop wakes by itself', async () => {
  await thread({
    ttl_strategy: 'delete',
    ttl_minutes: 1,
    expires_at: new Date(Date.now() + 300).toISOString(),
  });
  retention().wake();
  await expect.poll(idsLeft).toEqual([]);
});

test('when a thread keeps its latest state, then each pass removes the others', async () => {
  const id = await thread({ ttl_strategy: 'keep_latest', ttl_minutes: 60, expires_at: ago(1) });
  retention().wake();
  await expect.poll(left).toEqual([{ thread_id: id, count: 1 }]);
  await expect
    .poll(
      async () =>
        (await db().one<{ later: boolean }>('select expires_at > now() as later from threads')).later,
    )
    .toBe(true);
});

test.each(['delete', 'keep_latest'] as const)(
  'when threads are unchanged as long as langgraph.json says, then they are pruned by %s',
  async (strategy) => {
    settings = { strategy, default_ttl: 30, sweep_interval_minutes: null, sweep_limit: 1 };
    const fresh = await thread({ updated_at: ago(10) });
    const own = await thread({
      updated_at: ago(90),
      ttl_strategy: 'delete',
      ttl_minutes: 600,
      expires_at: ago(-500),
    });
    const old = [await thread({ updated_at: ago(40) }), await thread({ updated_at: ago(50) })];
    retention().wake();
    const whole = [fresh, own].map((thread_id) => ({ thread_id, count: 2 }));
    const pruned = strategy === 'delete' ? [] : old.map((thread_id) => ({ thread_id, count: 1 }));
    await expect
      .poll(async () => (await left()).toSorted((a, b) => (a.thread_id < b.thread_id ? -1 : 1)))
      .toEqual([...whole, ...pruned].toSorted((a, b) => (a.thread_id < b.thread_id ? -1 : 1)));
  },
);

test('when something runs in a thread, then it stays until that has ended', async () => {
  const id = await thread({ ttl_strategy: 'delete', ttl_minutes: 1, expires_at: ago(1) });
  const run_id = randomUUID();
  await db().run(
    `insert into runs (run_id, thread_id, assistant_id, graph_id, revision_id, attempt, status, chunks, metadata)
     values ($1, $2, $1, 'g', $1, 1, 'running', false, '{}')`,
    [run_id, id],
  );
  await db().run('insert into queue (run_id) values ($1)', [run_id]);
  await thread({ ttl_strategy: 'delete', ttl_minutes: 1, expires_at: ago(1) });
  retention().wake();
  await expect.poll(idsLeft).toEqual([id]);
  await db().run('delete from queue');
  retention().wake();
  await expect.poll(idsLeft).toEqual([]);
});

test('when runs that kept nothing are old, then their threads and events go, but not last words', async () => {
  const kept = await thread();
  await thread({ temporary: true, updated_at: ago(30) });
  const [old, young, of_task] = [randomUUID(), randomUUID(), randomUUID()];
  for (const [run_id, ended, task_id] of [
    [old, ago(2000), null],
    [young, ago(5), null],
    [of_task, ago(2000), randomUUID()],
  ]) {
    await db().run(
      `insert into runs (run_id, thread_id, assistant_id, graph_id, revision_id, attempt, status, chunks, metadata, ended_at, task_id)
       values ($1, $2, $1, 'g', $1, 1, 'success', false, '{}', $3, $4)`,
      [run_id, kept, ended, task_id],
    );
    for (const seq of [1, 2, 3])
      await db().run(`insert into run_events (run_id, seq, events) values ($1, $2, '[]')`, [run_id, seq]);
  }
  retention().wake();
  const told = () => db().query('select run_id, seq from run_events order by run_id, seq');
  const all = (run_id: string) => [1, 2, 3].map((seq) => ({ run_id, seq }));
  const expected = [{ run_id: old, seq: 3 }, ...all(young), ...all(of_task)];
  await expect.poll(told).toHaveLength(7);
  expect(await told()).toEqual(
    expected.toSorted((a, b) => (a.run_id < b.run_id ? -1 : a.run_id > b.run_id ? 1 : a.seq - b.seq)),
  );
  expect(await idsLeft()).toEqual([kept]);
});

test('when runs left many threads behind, then one pass takes them all', async () => {
  const kept = await thread();
  await db().run(
    `insert into threads (thread_id, temporary, updated_at)
     select gen_random_uuid(), true, now() - interval '30 minutes' from generate_series(1, 2500)`,
  );
  const begun = await thread({ temporary: true });
  retention().wake();
  await expect.poll(idsLeft).toHaveLength(2);
  expect((await idsLeft()).toSorted()).toEqual([kept, begun].toSorted());
});

test('when something could not be tidied away, then it is tried again', async () => {
  await thread({ temporary: true, updated_at: '2026-01-01T00:00:00Z' });
  meanwhile = () => {
    meanwhile = async () => undefined;
    return Promise.reject(new Error('away'));
  };
  retention().wake();
  await expect
    .poll(async () => (await db().one<{ n: number }>('select count(*) as n from threads')).n)
    .toBe(0);
});

test('when an item’s time is over, then it goes', async () => {
  const items = withoutIndex(db());
  for (const [key, ttl] of [
    ['gone', 0],
    ['there', 5],
    ['always', null],
  ] as const)
    await items.run([{ op: 'put', namespace: ['a'], key, value: {}, ttl }]);
  retention().wake();
  await expect
    .poll(() => db().query('select key from store order by key'))
    .toEqual([{ key: 'always' }, { key: 'there' }]);
});

test('when another engine has taken the database, then the former one sweeps no more', async () => {
  const expired = await thread({ ttl_strategy: 'delete', ttl_minutes: 1, expires_at: ago(1) });
  await db().run('update engine set epoch = 1');
  retention().wake();
  await looked.promise;
  await retention()[Symbol.asyncDispose]();
  expect(await idsLeft()).toEqual([expired]);
});

test.each(['delete', 'keep_latest'] as const)(
  'when another engine takes the database during a pass, then nothing more goes by %s',
  async (ttl_strategy) => {
    const expired = await thread({ ttl_strategy, ttl_minutes: 1, expires_at: ago(1) });
    const taken = Promise.withResolvers<void>();
    meanwhile = () => db().run('update engine set epoch = 1').finally(taken.resolve);
    retention().wake();
    await taken.promise;
    await retention()[Symbol.asyncDispose]();
    expect(await left()).toEqual([{ thread_id: expired, count: 2 }]);
  },
);
