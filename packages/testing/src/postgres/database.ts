import { createHash, randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import {
  type Database,
  dropDatabase,
  ensureDatabase,
  migrate,
  type Migration,
  openDatabase,
  withDatabaseName,
} from '@roadstead/postgres';

export interface FreshDatabase extends AsyncDisposable {
  readonly url: string;
  readonly db: Database;
  /** The superuser's address of database `postgres` on the same server. */
  readonly admin_url: string;
}

/** A schema in the state that its service brings it to. */
interface Schema {
  readonly schema: string;
  readonly migrations: readonly Migration[];
}

/**
 * A database of its own on the test run's server, dropped when disposed: `await using fresh = …`. It has these schemas, by
 * a copy of what was migrated once for the run, and is empty without.
 */
export async function freshDatabase(name = 'test', schemas: readonly Schema[] = []): Promise<FreshDatabase> {
  const admin_url = inject('postgresUrl');
  const database = `${name}_${randomBytes(6).toString('hex')}`;
  {
    await using admin = openDatabase({ url: admin_url, max: 1, name: 'test' });
    await copyOf(admin, {
      database,
      template: schemas.length > 0 ? await templateOf(admin, schemas) : 'template1',
    });
    await ensureDatabase(admin, { name: database });
  }
  const url = withDatabaseName(admin_url, database);
  const db = openDatabase({ url, max: 8, name: 'test' });
  return {
    url,
    db,
    admin_url,
    async [Symbol.asyncDispose]() {
      await db[Symbol.asyncDispose]();
      await using admin = openDatabase({ url: admin_url, max: 1, name: 'test' });
      await dropDatabase(admin, database);
    },
  };
}

/** As files: through the log, as is the default, it costs more than twice as much. */
async function copyOf(
  admin: Database,
  { database, template }: { readonly database: string; readonly template: string },
): Promise<void> {
  await admin.run(`create database ${database} template ${template} strategy file_copy`);
}

/** Made under another name first, so that what is there is whole. */
async function templateOf(admin: Database, schemas: readonly Schema[]): Promise<string> {
  const template = `template_${createHash('sha256').update(JSON.stringify(schemas)).digest('hex').slice(0, 16)}`;
  const isThere = async () =>
    (await admin.maybe('select from pg_database where datname = $1', [template])) !== undefined;
  if (await isThere()) return template;
  const making = `making_${randomBytes(6).toString('hex')}`;
  await ensureDatabase(admin, { name: making });
  {
    const url = withDatabaseName(inject('postgresUrl'), making);
    await using db = openDatabase({ url, max: 1, name: 'test' });
    for (const one of schemas) await migrate(db, one);
  }
  await admin.run(`alter database ${making} rename to ${template}`).catch(async (error: unknown) => {
    // Another worker has made it meanwhile.
    if (!(await isThere())) throw error;
    await dropDatabase(admin, making);
  });
  return template;
}
