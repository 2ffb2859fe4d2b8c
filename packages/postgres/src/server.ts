import type { Queryable } from './database.ts';

/** Whether the database answers. */
export async function isReachable(db: Queryable): Promise<boolean> {
  return db.query('select').then(
    () => true,
    () => false,
  );
}

/** The major version of its server, such as 18. */
export async function readServerVersion(db: Queryable): Promise<number> {
  const { version } = await db.one<{ version: string }>(
    `select current_setting('server_version_num') as version`,
  );
  return Math.floor(Number(version) / 10_000);
}
