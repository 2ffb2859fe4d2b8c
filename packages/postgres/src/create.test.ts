import { inject, expect, test } from 'vitest';
import { freshDatabase } from '@roadstead/testing';
import { dropDatabase, dropRole, ensureDatabase, ensureRole, limitRole } from './create.ts';
import { type Database, openDatabase } from './database.ts';
import { withDatabaseName } from './database-url.ts';

const unique = (name: string) => `${name} "${crypto.randomUUID()}`;
const openAdmin = () => openDatabase({ url: inject('postgresUrl'), max: 2, name: 'admin' });

function openAs(user: string, password: string, database: string): Database {
  const login = `//${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  const url = withDatabaseName(inject('postgresUrl'), database).replace(/\/\/[^@]*@/, login);
  return openDatabase({ url, max: 1, name: 'guest' });
}

async function canConnect(user: string, password: string, database: string): Promise<boolean> {
  await using db = openAs(user, password, database);
  return db.query('select 1').then(
    () => true,
    () => false,
  );
}

test('when a role is made, then it owns its database and enters no other', async () => {
  await using admin = openAdmin();
  await using stranger = await freshDatabase('stranger');
  const { name: strange } = await stranger.db.one<{ name: string }>('select current_database() as name');
  const name = unique('agent');
  await ensureRole(admin, { name, password: 'p@ss/word?' });
  await ensureDatabase(admin, { name, owner: name });
  await ensureDatabase(admin, { name, owner: name });
  {
    await using own = openAs(name, 'p@ss/word?', name);
    await own.run('create table notes (text text); create schema more; create temp table t ()');
    expect(await own.run(`insert into notes values ('a'), ('b')`)).toBe(2);
    await expect(own.run('create database further')).rejects.toThrow('permission denied');
    await expect(own.run('create role further')).rejects.toThrow('permission denied');
    await expect(own.run(`copy notes to program 'true'`)).rejects.toThrow('permission denied');
  }
  for (const other of [strange, 'postgres', 'template1']) {
    expect([other, await canConnect(name, 'p@ss/word?', other)]).toEqual([other, false]);
  }
  await dropDatabase(admin, name);
  await dropDatabase(admin, name);
  await dropRole(admin, name);
  await dropRole(admin, name);
});

test('when a role is ensured, then its password is set each time and never sent', async () => {
  await using admin = openAdmin();
  const sent: string[] = [];
  const spy: Database = {
    ...admin,
    run: (text, values) => {
      sent.push(text);
      return admin.run(text, values);
    },
  };
  const name = unique('agent');
  await ensureRole(spy, { name, password: 'first-secret' });
  await ensureDatabase(spy, { name, owner: name });
  expect(await canConnect(name, 'first-secret', name)).toBe(true);
  await ensureRole(spy, { name, password: 'second-secret' });
  expect(await canConnect(name, 'first-secret', name)).toBe(false);
  expect(await canConnect(name, 'second-secret', name)).toBe(true);
  expect(sent.filter((text) => text.includes('secret'))).toEqual([]);
  await expect(ensureRole(spy, { name, password: 'ümlaut' })).rejects.toThrow('printable ASCII');
  await dropDatabase(admin, name);
  await dropRole(admin, name);
});

test('when a role has further rights, then it is not taken over', async () => {
  await using admin = openAdmin();
  await expect(ensureRole(admin, { name: 'roadstead', password: 'x' })).rejects.toThrow(
    'has more rights than to log in',
  );
});

test('when a database is dropped, then its open connections go with it', async () => {
  await using admin = openAdmin();
  const name = unique('agent');
  await ensureDatabase(admin, { name });
  await using user = openDatabase({
    url: withDatabaseName(inject('postgresUrl'), name),
    max: 1,
    name: 'user',
  });
  await user.query('select 1');
  await dropDatabase(admin, name);
  await expect(user.query('select 1')).rejects.toThrow();
});

test('when an administrator is no superuser, as on a managed server, then all of it works', async () => {
  await using superuser = openAdmin();
  const manager = unique('manager');
  await superuser.run(
    `create role "${manager.replace('"', '""')}" login createdb createrole password 'managed'`,
  );
  await ensureDatabase(superuser, { name: manager, owner: manager });
  const name = unique('agent');
  {
    await using admin = openAs(manager, 'managed', manager);
    await ensureRole(admin, { name, password: 'one' });
    await ensureDatabase(admin, { name, owner: name });
    await ensureRole(admin, { name, password: 'two' });
    await ensureDatabase(admin, { name, owner: name });
    expect(await canConnect(name, 'two', name)).toBe(true);
    expect(await canConnect(name, 'two', manager)).toBe(false);
    for (const connections of [7, 9, undefined]) await limitRole(admin, { name, connections });
    await dropDatabase(admin, name);
    await dropRole(admin, name);
  }
  await dropDatabase(superuser, manager);
  await dropRole(superuser, manager);
});
