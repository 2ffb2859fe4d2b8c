import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import {
  type Database,
  dropDatabase,
  ensureDatabase,
  openDatabase,
  withDatabaseName,
} from '../../packages/postgres/src/index.ts';

export interface FreshDatabase extends AsyncDisposable {
  readonly url: string;
  readonly db: Database;
  /** The superuser's address of database `postgres` on the same server. */
  readonly admin_url: string;
}

/** An empty database of its own on the test run's server, dropped when disposed: `await using fresh = …`. */
export async function freshDatabase(name = 'test'): Promise<FreshDatabase> {
  const admin_url = inject('postgresUrl');
  const database = `${name}_${randomBytes(6).toString('hex')}`;
  {
    await using admin = openDatabase({ url: admin_url, max: 1, name: 'test' });
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
