import type { Queryable } from '@roadstead/postgres';

/** Runs that have not ended. */
export async function countUnfinished(db: Queryable): Promise<number> {
  const { count } = await db.one<{ count: number }>('select count(*)::integer as count from queue');
  return count;
}

/** Rejects when the database does not answer. */
export async function checkDatabase(db: Queryable): Promise<void> {
  await db.query('select 1');
}
