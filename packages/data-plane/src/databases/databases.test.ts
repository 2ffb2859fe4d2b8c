import { expect, test } from 'vitest';
import { LEAST_CONNECTIONS, SERVER_CONNECTIONS } from '@roadstead/contracts/control-plane';
import { uuidv7 } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { openSharedDatabases } from './databases.ts';

test('when a deployment has a database, then only its own role enters that', async () => {
  await using fresh = await freshDatabase();
  await using databases = openSharedDatabases({ admin_url: fresh.admin_url, password_key: 'a key' });
  const [one, other] = [uuidv7(), uuidv7()];
  try {
    const url = await databases.ensure(one);
    const otherUrl = await databases.ensure(other);
    expect(await databases.ensure(one)).toBe(url);
    {
      await using db = openDatabase({ url, max: 1, name: 'test' });
      await db.run('create table kept (n int)');
      const { may } = await db.one<{ may: boolean }>(
        `select rolsuper or rolcreatedb or rolcreaterole as may from pg_roles where rolname = current_user`,
      );
      expect(may).toBe(false);
    }
    const trespass = otherUrl.replace(/agent_[0-9a-f]{32}(?=[^@]*$)/, `agent_${one.replaceAll('-', '')}`);
    expect(trespass).not.toBe(otherUrl);
    await using foreign = openDatabase({ url: trespass, max: 1, name: 'test' });
    await expect(foreign.one('select 1')).rejects.toThrow(/permission denied/);
  } finally {
    await databases.drop(one);
    await databases.drop(other);
  }
  const left = await fresh.db.query(`select from pg_roles where rolname = $1`, [
    `agent_${one.replaceAll('-', '')}`,
  ]);
  expect(left).toEqual([]);
});

test('when connections are limited, then a deployment has no more, until the limit is taken away', async () => {
  await using fresh = await freshDatabase();
  await using databases = openSharedDatabases({ admin_url: fresh.admin_url, password_key: 'a key' });
  const id = uuidv7();
  try {
    const url = await databases.ensure(id);
    const connect = async (count: number) => {
      await using db = openDatabase({ url, max: count, name: 'test' });
      await Promise.all(Array.from({ length: count }, () => db.query('select pg_sleep(0.2)')));
    };
    await databases.give(id, { connections: LEAST_CONNECTIONS + 1 });
    await connect(LEAST_CONNECTIONS + 1);
    await expect(connect(LEAST_CONNECTIONS + 2)).rejects.toThrow('too many connections for role');
    // Its agent server needs these.
    await databases.give(id, { connections: 1 });
    await connect(LEAST_CONNECTIONS);
    await databases.give(id, { connections: 1e12 });
    await databases.give(id, {});
    await connect(LEAST_CONNECTIONS + 2);
  } finally {
    await databases.drop(id);
  }
});

test('when those of a killed server still count, then the next one has all that it needs', async () => {
  await using fresh = await freshDatabase();
  await using databases = openSharedDatabases({ admin_url: fresh.admin_url, password_key: 'a key' });
  const id = uuidv7();
  try {
    const url = await databases.ensure(id);
    await databases.give(id, { connections: 1 });
    await using killed = openDatabase({ url, max: SERVER_CONNECTIONS, name: 'killed' });
    await using next = openDatabase({ url, max: SERVER_CONNECTIONS, name: 'next' });
    const pools = [killed, next];
    const connected = pools.flatMap((db) =>
      Array.from({ length: SERVER_CONNECTIONS }, () => db.query('select pg_sleep(0.2)')),
    );
    await Promise.all(connected);
    expect(pools.map((db) => db.pool().size)).toEqual([SERVER_CONNECTIONS, SERVER_CONNECTIONS]);
  } finally {
    await databases.drop(id);
  }
});
