import { silentLog } from '@roadstead/kit';
import { type Database, migrate } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { outboxDueMigration, outboxMigration, outboxOwnersMigration } from '../outbox-migrations.ts';
import { openOutbox, type OutboxOptions } from '../outbox.ts';

/** An outbox on a database of its own, and the messages in it. */

export const message = (body = '{}', destination = 'a') => ({
  workspace_id: 'w',
  url: 'http://receiver.test/hook',
  destination,
  body,
});

export async function freshOutbox(options: Partial<OutboxOptions> & Pick<OutboxOptions, 'fetch'>) {
  const fresh = await freshDatabase();
  const { db } = fresh;
  await migrate(db, {
    schema: 'own',
    migrations: [outboxMigration(1), outboxOwnersMigration(2), outboxDueMigration(3)],
  });
  const open = (more: Partial<OutboxOptions> = {}) =>
    openOutbox({
      db,
      schema: 'own',
      locate: async () => ({ url: 'http://receiver.test/hook', secrets: [] }),
      log: silentLog,
      resync_ms: 10,
      ...options,
      ...more,
    });
  return { db, open, [Symbol.asyncDispose]: () => fresh[Symbol.asyncDispose]() };
}

export const state = async (db: Database, id: string) =>
  db.one<{ state: string; attempts: number; error: string | null; in_s: number }>(
    `select state, attempts, error, extract(epoch from due_at - now())::float8 as in_s from own.outbox_messages where id = $1`,
    [id],
  );
export const setDue = (db: Database) => db.run('update own.outbox_messages set due_at = now()');
