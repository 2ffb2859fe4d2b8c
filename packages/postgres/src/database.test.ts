import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '@roadstead/testing';
import { type Database, openDatabase } from './database.ts';
import { isConnectionError, isTooSlow, isUniqueViolation } from './database-error.ts';
import { migrate } from './migrate.ts';

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
