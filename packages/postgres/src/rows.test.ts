import { describe, expect, test } from 'vitest';
import { freshDatabase } from '@roadstead/testing';
import { BytePieces } from './byte-pieces.ts';
import { openDatabase } from './database.ts';

describe('rows', () => {
  test('when values are read, then they come as the contracts want them', async () => {
    await using fresh = await freshDatabase();
    const row = await fresh.db.one(`select
      9007199254740991::int8 as safe, 9007199254740992::int8 as unsafe, -5::int8 as negative, 7 as small,
      1.50::numeric(10,2) as exact, '{"a": [1]}'::jsonb as json, '\\x00ff'::bytea as bytes, null::int8 as nothing,
      '2026-01-01 02:00:00.123999+02'::timestamptz as instant, '2026-01-01 00:00+00'::timestamptz as whole,
      '1883-11-18 12:00:00+00'::timestamptz as old, 'infinity'::timestamptz as never,
      '2026-03-29'::date as day, '2026-03-29 02:30:00'::timestamp as clock,
      '{1,null,9007199254740993}'::int8[] as list, '{{1},{2}}'::int8[] as nested,
      array['2026-01-01 00:00+00'::timestamptz] as instants, array['2026-03-29'::date] as days`);
    expect(row).toEqual({
      safe: 9007199254740991,
      unsafe: '9007199254740992',
      negative: -5,
      small: 7,
      exact: '1.50',
      json: { a: [1] },
      bytes: Buffer.from([0, 255]),
      nothing: null,
      instant: '2026-01-01T00:00:00.123Z',
      whole: '2026-01-01T00:00:00.000Z',
      old: '1883-11-18T12:00:00.000Z',
      never: 'infinity',
      day: '2026-03-29',
      clock: '2026-03-29 02:30:00',
      list: [1, null, '9007199254740993'],
      nested: [[1], [2]],
      instants: ['2026-01-01T00:00:00.000Z'],
      days: ['2026-03-29'],
    });
  });

  test('when a parameter comes in pieces, then it arrives as if joined, beside others', async () => {
    await using fresh = await freshDatabase();
    const said = 'Всё хорошо. '.repeat(100_000);
    const bytes = Buffer.from(JSON.stringify({ said }));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 65_537) }, (_, at) =>
      bytes.subarray(at * 65_537, (at + 1) * 65_537),
    );
    const text = `select $1::text::jsonb ->> 'said' as said, $2::bytea as empty, $3::integer as number, $4::text as none,
      $5::text[] as list, $6::bytea as bytes`;
    const values = [new BytePieces(pieces), new BytePieces([]), 7, null, ['ä', 'b'], Buffer.from('joined')];
    const row = {
      said,
      empty: Buffer.alloc(0),
      number: 7,
      none: null,
      list: ['ä', 'b'],
      bytes: Buffer.from('joined'),
    };
    expect(await fresh.db.query(text, values)).toEqual([row]);
    expect(await fresh.db.prepared('pieces', text, values)).toEqual([row]);
    expect(await fresh.db.prepared('pieces', text, values)).toEqual([row]);
    const broken = fresh.db.query('select $1::text::jsonb', [new BytePieces([Buffer.from('{')])]);
    await expect(broken).rejects.toThrow('invalid input syntax for type json');
    expect(await fresh.db.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('when one, maybe or run is called, then rows are counted as it promises', async () => {
    await using fresh = await freshDatabase();
    const { db } = fresh;
    expect(await db.maybe('select 1 as n where false')).toBeUndefined();
    expect(await db.maybe('select $1::int as n', [4])).toEqual({ n: 4 });
    await expect(db.one('select 1 where false')).rejects.toThrow(
      'Expected one row, got none: select 1 where false',
    );
    await expect(db.one('select 1 from generate_series(1, 2)')).rejects.toThrow('Expected one row, got 2');
    await expect(db.maybe('select 1 from generate_series(1, 3)')).rejects.toThrow('Expected one row, got 3');
    await db.run('create table t (n int primary key); create table u ()');
    expect(await db.run('insert into t select generate_series(1, $1)', [5])).toBe(5);
    expect(await db.run('update t set n = n where n > 9')).toBe(0);
  });

  test('when a statement is named, then it is prepared once per connection', async () => {
    await using fresh = await freshDatabase();
    await using db = openDatabase({ url: fresh.url, max: 1, name: 'one' });
    for (const n of [1, 2, 3])
      expect(await db.prepared('twice', 'select $1::int * 2 as n', [n])).toEqual([{ n: n * 2 }]);
    expect(await db.query('select name from pg_prepared_statements')).toEqual([{ name: 'twice' }]);
  });

  test('when connections are unused, then they are closed, but for those that are kept', async () => {
    await using fresh = await freshDatabase();
    await using db = openDatabase({ url: fresh.url, max: 3, name: 'idle', idle_ms: 50, kept: 2 });
    await Promise.all([1, 2, 3].map(async () => db.query('select pg_sleep(0.05)')));
    const open = `select count(*)::int as n from pg_stat_activity where application_name = 'idle'`;
    await expect.poll(() => fresh.db.one(open)).toEqual({ n: 2 });
  });

  test('when a session opens, then it has a name, a time zone and a schema', async () => {
    await using fresh = await freshDatabase();
    await fresh.db.run(`create schema "odd, \\ ""one"""; create table "odd, \\ ""one""".here (n int)`);
    await fresh.db.run(
      `do $$ begin execute format('alter database %I set timezone to ''Asia/Tokyo''', current_database()); end $$`,
    );
    await using db = openDatabase({ url: fresh.url, max: 1, name: 'shop 1', schema: 'odd, \\ "one"' });
    expect(await db.query('select * from here')).toEqual([]);
    const settings = `select current_setting('application_name') as name, current_setting('timezone') as zone`;
    expect(await db.one(settings)).toEqual({ name: 'shop 1', zone: 'UTC' });
  });
});
