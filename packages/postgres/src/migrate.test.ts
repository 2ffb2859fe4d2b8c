import { expect, test } from 'vitest';
import { freshDatabase } from '@roadstead/testing';
import { ensureRole } from './create.ts';
import { type Database, openDatabase } from './database.ts';
import { migrate, type Migration, SchemaTooNewError } from './migrate.ts';

const steps: readonly Migration[] = [
  {
    id: 1,
    name: 'things',
    sql: 'create table things (id integer primary key); insert into things values (1)',
  },
  { id: 2, name: 'names', sql: `alter table things add column name text not null default 'none'` },
  { id: 3, name: 'things to items', sql: 'alter table things rename to items', breaking: true },
];
const schema = 'shop';
const appliedTo = async (db: Database) =>
  (await db.query<{ id: number }>('select id from shop.migrations order by id')).map(({ id }) => id);

test('when migration goes on from any step, then it ends with all; a second one changes nothing', async () => {
  for (let length = 0; length <= steps.length; length += 1) {
    await using fresh = await freshDatabase('migrate');
    await migrate(fresh.db, { schema, migrations: steps.slice(0, length) });
    expect(await appliedTo(fresh.db)).toEqual([1, 2, 3].slice(0, length));
    await migrate(fresh.db, { schema, migrations: steps });
    const before = await fresh.db.query(
      'select id, name, breaking, applied_at from shop.migrations order by id',
    );
    expect(before.map(({ name, breaking }) => [name, breaking])).toEqual([
      ['things', false],
      ['names', false],
      ['things to items', true],
    ]);
    await migrate(fresh.db, { schema, migrations: steps });
    expect(
      await fresh.db.query('select id, name, breaking, applied_at from shop.migrations order by id'),
    ).toEqual(before);
    expect(await fresh.db.query('select * from shop.items')).toEqual([{ id: 1, name: 'none' }]);
  }
});

test('when several processes migrate at once, then each step is applied once', async () => {
  await using fresh = await freshDatabase('migrate');
  await using other = openDatabase({ url: fresh.url, max: 2, name: 'other' });
  const all = [fresh.db, other, fresh.db, other].map((db) => migrate(db, { schema, migrations: steps }));
  await Promise.all(all);
  expect(await appliedTo(fresh.db)).toEqual([1, 2, 3]);
  expect(await fresh.db.query('select id from shop.items')).toEqual([{ id: 1 }]);
});

test('when steps are newer than the program, then it accepts additive and refuses breaking ones', async () => {
  await using fresh = await freshDatabase('migrate');
  await migrate(fresh.db, { schema, migrations: steps.slice(0, 2) });
  await migrate(fresh.db, { schema, migrations: steps.slice(0, 1) });
  expect(await appliedTo(fresh.db)).toEqual([1, 2]);
  await migrate(fresh.db, { schema, migrations: steps });
  const older = [...steps.slice(0, 2), { id: 4, name: 'never', sql: 'create table never ()' }];
  const refused = migrate(fresh.db, { schema, migrations: older });
  await expect(refused).rejects.toThrow(SchemaTooNewError);
  await expect(refused).rejects.toThrow(
    'The database was written by a newer Roadstead whose schema this version cannot read; start the newer version, or restore a backup.',
  );
  expect(await appliedTo(fresh.db)).toEqual([1, 2, 3]);
});

test('when a step was left out, then it is caught up', async () => {
  await using fresh = await freshDatabase('migrate');
  const [first, second] = [steps[0], { id: 2, name: 'other', sql: 'create table other ()' }];
  const third = { id: 3, name: 'third', sql: 'create table third ()' };
  await migrate(fresh.db, { schema, migrations: [first, third].filter((step) => step !== undefined) });
  await migrate(fresh.db, {
    schema,
    migrations: [third, first, second].filter((step) => step !== undefined),
  });
  expect(await appliedTo(fresh.db)).toEqual([1, 2, 3]);
});

test('when a step fails, then it is named and leaves nothing, and those before it are kept', async () => {
  await using fresh = await freshDatabase('migrate');
  const bad = { id: 2, name: 'bad', sql: 'create table half (); select 1 / 0' };
  await expect(migrate(fresh.db, { schema, migrations: [...steps.slice(0, 1), bad] })).rejects.toThrow(
    'Migration 2 (bad) of shop failed: division by zero',
  );
  expect(await appliedTo(fresh.db)).toEqual([1]);
  expect(await fresh.db.query(`select to_regclass('shop.half') as half`)).toEqual([{ half: null }]);
});

test('when two steps have one number, then that is refused', async () => {
  await using fresh = await freshDatabase('migrate');
  const twice = [...steps, { id: 2, name: 'again', sql: 'select 1' }];
  await expect(migrate(fresh.db, { schema, migrations: twice })).rejects.toThrow(
    'Two migrations of shop have the number 2.',
  );
});

test('when a role may not create schemas, then it migrates one that it was given', async () => {
  await using fresh = await freshDatabase('migrate');
  const name = `guest ${crypto.randomUUID()}`;
  await ensureRole(fresh.db, { name, password: 'guest' });
  await fresh.db.run(`create schema shop authorization "${name}"`);
  await fresh.db.run(
    `do $$ begin execute format('grant connect on database %I to "${name}"', current_database()); end $$`,
  );
  const url = fresh.url.replace(/\/\/[^@]*@/, `//${encodeURIComponent(name)}:guest@`);
  {
    await using guest = openDatabase({ url, max: 1, name: 'guest' });
    await migrate(guest, { schema, migrations: steps });
  }
  expect(await appliedTo(fresh.db)).toEqual([1, 2, 3]);
  await fresh.db.run(`drop owned by "${name}"; drop role "${name}"`);
});
