import { migrate, openDatabase } from '@roadstead/postgres';
import { expect, test } from 'vitest';
import { freshDatabase } from '@roadstead/testing';
import { ENGINE_SCHEMA, engineMigrations } from '../../database/engine-migrations.ts';
import { createCardKeys } from './card-key-store.ts';

test('when several ask a deployment for its key at once, then all get the one that it keeps', async () => {
  await using database = await freshDatabase();
  await using db = openDatabase({ url: database.url, max: 4, name: 'test', schema: ENGINE_SCHEMA });
  await migrate(db, { schema: ENGINE_SCHEMA, migrations: engineMigrations });
  const asked = Array.from({ length: 5 }, () => createCardKeys(db).find());
  const [first, ...others] = await Promise.all(asked);
  expect(first).toMatchObject({ kty: 'EC', crv: 'P-256' });
  expect(others).toEqual(others.map(() => first));
  expect(await createCardKeys(db).find()).toEqual(first);
});
