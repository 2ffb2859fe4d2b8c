import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '@roadstead/testing';
import { BytePieces } from './byte-pieces.ts';
import { type Database, openDatabase } from './database.ts';
import { isConnectionError, isTooSlow, isUniqueViolation } from './database-error.ts';
import { migrate } from './migrate.ts';
import { withDatabaseName, withSessionOptions } from './database-url.ts';

const backend = async (db: Database) => (await db.one<{ pid: number }>('select pg_backend_pid() as pid')).pid;

/** A TCP connection to the server that can fall silent, like a network that loses every packet. */
async function wayTo(url: string) {
  const { username, password, pathname, searchParams } = new URL(url.replace('@/', '@localhost/'));
  let isSilent = false;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const inner = connect(`${searchParams.get('host')}/.s.PGSQL.5432`);
    for (const [from, to] of [
      [client, inner],
      [inner, client],
    ] as const)
      from
        .on('data', (bytes) => isSilent || to.write(bytes))
        .on('error', () => undefined)
        .on('close', () => isSilent || to.destroy());
    open.add(client).add(inner);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgresql://${username}:${password}@127.0.0.1:${port}${pathname}`,
    silence: () => (isSilent = true),
    open: () => (isSilent = false),
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

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

describe('transactions', () => {
  test('when statements are sent at once, then they go one after the other', async () => {
    await using fresh = await freshDatabase();
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => void warnings.push(message);
    process.on('warning', onWarning);
    const read = await fresh.db.transaction(async (tx) =>
      Promise.all([1, 2, 3].map(async (n) => tx.one('select $1::int as n', [n]))),
    );
    process.off('warning', onWarning);
    expect(read).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(warnings).toEqual([]);
  });

  test('when a transaction ends, then it is committed or rolled back, and takes no statement more', async () => {
    await using fresh = await freshDatabase();
    const { db } = fresh;
    await db.run('create table t (n int primary key)');
    const kept = await db.transaction(async (tx) => {
      await tx.run('insert into t values (1)');
      return tx;
    });
    await expect(kept.query('select 1')).rejects.toThrow('The transaction has ended.');
    const failing = db.transaction(async (tx) => {
      await tx.run('insert into t values (2)');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await db.query('select n from t')).toEqual([{ n: 1 }]);
  });

  test('when an error is swallowed, then the transaction does not pass for a commit', async () => {
    await using fresh = await freshDatabase();
    await fresh.db.run('create table t (n int)');
    const swallowed = fresh.db.transaction(async (tx) => {
      await tx.run('insert into t values (1)');
      await tx.run('select 1 / 0').catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow('The transaction was rolled back');
    expect(await fresh.db.query('select * from t')).toEqual([]);
  });

  test('when an error is found at the commit, then it is thrown', async () => {
    await using fresh = await freshDatabase();
    await fresh.db.run('create table t (n int unique deferrable initially deferred)');
    const late = fresh.db.transaction((tx) => tx.run('insert into t values (1), (1)'));
    await expect(late).rejects.toSatisfy((error) => isUniqueViolation(error, 't_n_key'));
    expect(await fresh.db.query('select * from t')).toEqual([]);
  });
});

describe('connections', () => {
  test('when a statement fails, then the connection is kept, and the error says what it is', async () => {
    await using fresh = await freshDatabase();
    await using db = openDatabase({ url: fresh.url, max: 1, name: 'one' });
    await db.run('create table t (n int constraint only_once unique); insert into t values (1)');
    const before = await backend(db);
    const error: unknown = await db.run('insert into t values (1)').catch((reason: unknown) => reason);
    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(error, 'only_once')).toBe(true);
    expect(isUniqueViolation(error, 'other')).toBe(false);
    expect(isConnectionError(error)).toBe(false);
    expect(await backend(db)).toBe(before);
  });

  test('when a connection breaks under a statement or a transaction, then it is replaced', async () => {
    await using fresh = await freshDatabase();
    await using db = openDatabase({ url: fresh.url, max: 1, name: 'one' });
    const suicide = 'select pg_terminate_backend(pg_backend_pid())';
    await expect(db.query(suicide)).rejects.toSatisfy(isConnectionError);
    await expect(db.transaction((tx) => tx.query(suicide))).rejects.toSatisfy(isConnectionError);
    const between = db.transaction(async (tx) => {
      const { pid } = await tx.one<{ pid: number }>('select pg_backend_pid() as pid');
      await fresh.db.query('select pg_terminate_backend($1, 5000)', [pid]);
      await tx.query('select 1');
    });
    await expect(between).rejects.toSatisfy(isConnectionError);
    expect(await db.query('select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('when a connection breaks while idle, then that is told, and it is replaced', async () => {
    await using fresh = await freshDatabase();
    const told = Promise.withResolvers<Error>();
    await using db = openDatabase({ url: fresh.url, max: 1, name: 'one', onError: told.resolve });
    await fresh.db.query('select pg_terminate_backend($1, 5000)', [await backend(db)]);
    expect(isConnectionError(await told.promise)).toBe(true);
    expect(await db.query('select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('when connections are used, then no more than max open, and idle ones are closed', async () => {
    await using fresh = await freshDatabase();
    await using db = openDatabase({ url: fresh.url, max: 2, name: 'counted', idle_ms: 10 });
    const count = async () =>
      (
        await fresh.db.one<{ n: number }>(
          `select count(*) as n from pg_stat_activity where application_name = 'counted'`,
        )
      ).n;
    expect(await count()).toBe(0);
    const pids = await Promise.all(Array.from({ length: 20 }, () => backend(db)));
    expect(new Set(pids).size).toBeLessThanOrEqual(2);
    await expect.poll(count).toBe(0);
  });

  test('when a database is closed, then what is under way or waiting ends, and the rest is refused', async () => {
    await using fresh = await freshDatabase();
    const db = openDatabase({ url: fresh.url, max: 1, name: 'closing' });
    const all = [1, 2, 3].map((n) => db.one('select $1::int as n', [n]));
    await db[Symbol.asyncDispose]();
    await db[Symbol.asyncDispose]();
    expect(await Promise.all(all)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await expect(db.query('select 1')).rejects.toThrow('The database connections of closing are closed.');
  });

  test('when a server goes silent, then it is given up, and the connection is replaced', async () => {
    await using fresh = await freshDatabase();
    await using way = await wayTo(fresh.url);
    await using db = openDatabase({ url: way.url, max: 1, name: 'silent', limit_ms: 500 });
    expect(await db.one('select 1 as n')).toEqual({ n: 1 });
    way.silence();
    await expect(db.query('select 1')).rejects.toSatisfy(isConnectionError);
    way.open();
    const left = db.transaction(async (tx) => {
      await tx.query('select 1');
      way.silence();
      await tx.query('select 2');
    });
    await expect(left).rejects.toSatisfy(isConnectionError);
    way.open();
    expect(await db.one('select 1 as n')).toEqual({ n: 1 });
  });

  test('when a statement takes too long or waits for a lock, then it ends, unless it is patient', async () => {
    await using fresh = await freshDatabase();
    await fresh.db.run('create table t (n int)');
    await using db = openDatabase({ url: fresh.url, max: 2, name: 'hurried', limit_ms: 300 });
    await expect(db.query('select pg_sleep(60)')).rejects.toSatisfy(isTooSlow);
    await db.transaction(async (tx) => {
      await tx.run('lock table t');
      await expect(db.query('select * from t')).rejects.toSatisfy(isConnectionError);
    });
    expect(await db.patientTransaction((tx) => tx.query('select 1 as n from pg_sleep(0.6)'))).toEqual([
      { n: 1 },
    ]);
    await migrate(db, {
      schema: 'slow',
      migrations: [{ id: 1, name: 'sleep', sql: 'select pg_sleep(0.6)' }],
    });
    await expect(db.query('select pg_sleep(60)')).rejects.toSatisfy(isTooSlow);
  });

  test.each([
    'postgresql://u:p@127.0.0.1:1/db',
    'postgresql://u:p@/db?host=/nowhere',
    'postgresql://u:p@nowhere.invalid/db',
  ])('when nobody answers at %s, then it is a connection error', async (url) => {
    await using db = openDatabase({ url, max: 1, name: 'nobody' });
    await expect(db.query('select 1')).rejects.toSatisfy(isConnectionError);
  });

  test.each([
    undefined,
    'text',
    new Error('no'),
    Object.assign(new Error('no'), { code: 'ENOENT', syscall: 'open' }),
  ])('when an error is %s, then it is no connection error', (error) =>
    expect(isConnectionError(error)).toBe(false),
  );
});

describe('addresses', () => {
  test.each([
    [
      'postgresql://me:p%40ss@host:5432/old?sslmode=require',
      'postgresql://me:p%40ss@host:5432/new?sslmode=require',
    ],
    ['postgres://host', 'postgres://host/new'],
    ['postgresql://host/', 'postgresql://host/new'],
    ['postgresql://me:pw@/old?host=%2Ftmp%2Fa%20b', 'postgresql://me:pw@/new?host=%2Ftmp%2Fa%20b'],
    ['postgresql://me@[::1]:5/old', 'postgresql://me@[::1]:5/new'],
    ['postgresql://me@a,b/old', 'postgresql://me@a,b/new'],
  ])('when the address is %s, then only the name of its database is replaced', (url, expected) =>
    expect(withDatabaseName(url, 'new')).toBe(expected),
  );

  test('when a name is odd, then it is encoded; what is no address is refused and not repeated', () => {
    expect(withDatabaseName('postgres://h/x', 'a/b c?"')).toBe('postgres://h/a%2Fb%20c%3F%22');
    for (const url of ['mysql://me:secret@h/x', 'secret', '', 'postgresql://h/x#secret']) {
      expect(() => withDatabaseName(url, 'new')).toThrow(/^A database address must look like/);
    }
  });

  test('when session options are added, then they follow those of the address, after the defaults', () => {
    const url = withSessionOptions(
      'postgresql://h/x?options=-c%20a%3D1&host=%2Fa%20b',
      { b: '2 3', c: undefined },
      { a: '0' },
    );
    expect([...new URL(url).searchParams]).toEqual([
      ['options', String.raw`-c a=0 -c a=1 -c b=2\ 3`],
      ['host', '/a b'],
    ]);
  });
});
