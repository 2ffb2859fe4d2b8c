import { expect, test } from 'vitest';
import { migrate, openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { ENGINE_SCHEMA, engineMigrations } from './engine-migrations.ts';
import { turnsMigration } from './due-migrations.ts';

test('when turns are added to many webhook calls, then only those that wait are rewritten', async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await freshDatabase());
  const db = stack.use(openDatabase({ url, max: 2, name: 'test', schema: ENGINE_SCHEMA }));
  const before = engineMigrations.filter(({ id }) => id < turnsMigration.id);
  await migrate(db, { schema: ENGINE_SCHEMA, migrations: before });
  await db.run(
    `insert into webhook_calls (run_id, url, run, state)
     select gen_random_uuid(), 'https://a.test/', '{"principal":"user:a"}', state
     from unnest(array['waiting', 'delivered', 'dead']) state`,
  );
  const placed = () =>
    db.query<{ state: string; file: number; ctid: string }>(
      `select state, pg_relation_filenode('webhook_calls') as file, ctid::text from webhook_calls
       where state <> 'waiting' order by state`,
    );
  const was = await placed();
  await migrate(db, { schema: ENGINE_SCHEMA, migrations: engineMigrations });
  expect(await placed()).toEqual(was);
  expect(await db.query('select state, principal, receiver from webhook_calls order by state')).toEqual([
    { state: 'dead', principal: '', receiver: '' },
    { state: 'delivered', principal: '', receiver: '' },
    { state: 'waiting', principal: 'user:a', receiver: '' },
  ]);
});
