import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '@roadstead/testing';
import { type Database, openDatabase } from './database.ts';
import { DueInTurns } from './due-in-turns.ts';
import type { DueTable } from './due-statements.ts';

interface Thing {
  readonly id: number;
  readonly whole: string;
  readonly part: string;
}

const things: DueTable = {
  table: 'things',
  key: 'id',
  owner: ['whole', 'part'],
  owner_type: 'text',
  due: 'due_at',
  waits: 'due_at is not null',
};

/** A table of things, one connection wide. */
async function freshThings() {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await freshDatabase());
  const db = stack.use(openDatabase({ url, max: 1, name: 'test' }));
  await db.run(
    `create table things (id serial primary key, whole text, part text, due_at timestamptz default now());
     create index things_in_turns on things (whole, part, due_at) where due_at is not null;
     create index things_due on things (due_at) where due_at is not null`,
  );
  /** Inserts owners with this many parts and rows of each. */
  const insert = (name: string, parts: number, rows = 1) =>
    db.run(
      `insert into things (whole, part) select $1, 'part' || p from generate_series(1, $2::int) p, generate_series(1, $3::int)`,
      [name, parts, rows],
    );
  return { db, insert, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const remove = (db: Database, due: readonly Thing[]) =>
  db.run('delete from things where id = any ($1)', [due.map(({ id }) => id)]);

test('when an owner may not go, then it is asked once, and none of its rows is listed', async () => {
  await using box = await freshThings();
  await box.insert('w', 1, 5000);
  await box.db.run(
    `create sequence asked; insert into things (whole, part) select 'w', 'on' from generate_series(1, 3)`,
  );
  const may_go = `case when nextval('asked') > 0 then o.part = 'on' end`;
  const { due } = await new DueInTurns<Thing>({ ...things, may_go }).list(box.db, { limit: 100 });
  expect(due.map(({ part }) => part)).toEqual(['on', 'on', 'on']);
  const { asked } = await box.db.one<{ asked: number }>('select last_value::integer as asked from asked');
  // The rows that have been due longest, and those of the two owners.
  expect(asked).toBe(101 + 2);
});

test('when all fits, then all is listed that may go and whose time has come', async () => {
  await using box = await freshThings();
  for (const name of ['a', 'b']) await box.insert(name, 5, 2);
  await box.insert('later', 5);
  await box.db.run(`update things set due_at = now() + interval '1 h' where whole = 'later'`);
  const listing = new DueInTurns<Thing>({ ...things, may_go: `o.part <> 'part3'` });
  const { due, has_more } = await listing.list(box.db, { limit: 20 });
  expect([due.length, has_more]).toEqual([16, false]);
  const now = new Date(Date.now() + 7_200_000);
  expect(await listing.list(box.db, { limit: 30, now })).toMatchObject({ has_more: false });
  expect((await listing.list(box.db, { limit: 30, now })).due).toHaveLength(20);
});

test('when none of much that is due may go, then nothing is listed, and there is no more', async () => {
  await using box = await freshThings();
  await box.insert('a', 30, 2);
  const listing = new DueInTurns<Thing>({ ...things, may_go: `o.part = 'nobody'` });
  expect(await listing.list(box.db, { limit: 20 })).toEqual({ due: [], has_more: false });
});

describe('ten thousand owners', () => {
  test('when a workspace has 10,000 receivers, then another is in the first listing', async () => {
    await using box = await freshThings();
    await box.insert('greedy', 10_000);
    await box.insert('other', 1, 30);
    const listing = new DueInTurns<Thing>(things);
    const first = await listing.list(box.db, { limit: 100 });
    expect(first.has_more).toBe(true);
    expect(first.due.slice(0, 2).map(({ whole }) => whole)).toEqual(['greedy', 'other']);
    expect(first.due.filter(({ whole }) => whole === 'other')).toHaveLength(30);
    const seen = new Set(first.due.map(({ part }) => part));
    let listings = 1;
    for (; seen.size < 10_000 && listings < 1000; listings += 1) {
      const { due } = await listing.list(box.db, { limit: 100 });
      expect(due.length).toBeLessThanOrEqual(110);
      for (const { part } of due) seen.add(part);
    }
    expect([seen.size, listings]).toEqual([10_000, 200]);
  });

  test('when there are ten thousand callers, then none comes twice before all have come', async () => {
    await using box = await freshThings();
    await box.db.run(
      `insert into things (whole) select 'caller' || n from generate_series(1, 10000) n, generate_series(1, 3)`,
    );
    const listing = new DueInTurns<Thing>({ ...things, owner: ['whole'] });
    await box.db.run('create index things_of_callers on things (whole, due_at) where due_at is not null');
    const listed: string[] = [];
    for (let at = 0; at < 100; at += 1)
      listed.push(...(await listing.list(box.db, { limit: 100 })).due.map(({ whole }) => whole));
    expect([listed.length, new Set(listed).size]).toEqual([10_000, 10_000]);
  });

  test('when most of them have nothing due, then who has is found within ten listings', async () => {
    await using box = await freshThings();
    await box.insert('idle', 10_000);
    await box.db.run(`update things set due_at = now() + interval '1 h'`);
    await box.db.run(`insert into things (whole, part) select 'idle', 'zz' from generate_series(1, 200)`);
    const listing = new DueInTurns<Thing>(things);
    const found: number[] = [];
    for (let at = 0; at < 11; at += 1) found.push((await listing.list(box.db, { limit: 100 })).due.length);
    expect(found.filter((count) => count > 0)).toEqual([100]);
  });

  test.each([
    ['receivers', `'greedy'`, `'part' || n`],
    ['workspaces', `'owner' || n`, `'part'`],
    ['rows', `'greedy'`, `'part'`],
    ['rows of one', `case when n < 500 then 'owner' || n % 3 else 'greedy' end`, `'part' || n % 2`],
    ['rows of one part', `'greedy'`, `case when n < 500 then 'part' || n % 3 else 'part' end`],
  ])('when there are a hundred times as many %s, then a listing reads no more', async (_, whole, part) => {
    await using box = await freshThings();
    const read: number[] = [];
    for (const count of [1000, 100_000]) {
      await box.db.run(
        `truncate things; insert into things (whole, part) select ${whole}, ${part} from generate_series(1, ${count}) n`,
      );
      await box.db.run('vacuum analyze things');
      const rows = async () => {
        await box.db.run('select pg_stat_force_next_flush()');
        const { count: all } = await box.db.one<{ count: number }>(
          `select sum(idx_tup_read)::integer + (select seq_tup_read from pg_stat_user_tables where relname = 'things')::integer as count
           from pg_stat_user_indexes where relname = 'things'`,
        );
        return all;
      };
      const before = await rows();
      const { due } = await new DueInTurns<Thing>(things).list(box.db, { limit: 100 });
      expect(due.length).toBeGreaterThan(90);
      read.push((await rows()) - before);
    }
    const [few = 0, many = 0] = read;
    expect(few).toBeGreaterThan(100);
    expect(many).toBeLessThanOrEqual(few * 1.1);
    expect(many).toBeLessThan(2500);
  });
});

test('when an owner is busy, then it keeps its place and the others are listed', async () => {
  await using box = await freshThings();
  await box.insert('greedy', 500);
  await box.insert('other', 200);
  const listing = new DueInTurns<Thing>(things);
  const first = await listing.list(box.db, { limit: 100 });
  for (let at = 0; at < 5; at += 1) {
    const { due, has_more } = await listing.list(box.db, {
      limit: 100,
      isBusy: (whole) => whole === 'greedy',
    });
    expect([...new Set(due.map(({ whole }) => whole)), has_more]).toEqual(['other', true]);
  }
  expect(await listing.list(box.db, { limit: 100, isBusy: () => true })).toEqual({ due: [], has_more: true });
  const again = await listing.list(box.db, { limit: 100 });
  const ofGreedy = [...first.due, ...again.due].filter(({ whole }) => whole === 'greedy');
  expect(new Set(ofGreedy.map(({ part }) => part)).size).toBe(ofGreedy.length);
});

test('when anything waits, then it is listed in turns and nothing is passed over', async () => {
  await using box = await freshThings();
  const owner = fc.tuple(
    fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    fc.constantFrom('', 'p', 'q', 'r', 's', 't'),
    fc.integer({ min: 1, max: 6 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(owner, { maxLength: 25 }),
      fc.integer({ min: 1, max: 12 }),
      async (owners, limit) => {
        await box.db.run('truncate things');
        for (const [whole, part, count] of owners)
          await box.db.run(
            'insert into things (whole, part) select $1, $2 from generate_series(1, $3::int)',
            [whole, part, count],
          );
        const listing = new DueInTurns<Thing>(things);
        let left = owners.reduce((sum, [, , count]) => sum + count, 0);
        for (let empty = 0; left > 0 && empty < 3;) {
          const { due, has_more } = await listing.list(box.db, { limit });
          expect(new Set(due.map(({ id }) => id)).size).toBe(due.length);
          expect(has_more).toBe(left > limit);
          const firsts = due.slice(0, new Set(due.map(({ whole }) => whole)).size).map(({ whole }) => whole);
          expect(!has_more || new Set(firsts).size === firsts.length).toBe(true);
          empty = due.length === 0 ? empty + 1 : 0;
          left -= await remove(box.db, due);
        }
        expect(left).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
});
