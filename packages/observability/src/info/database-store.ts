import type { Queryable } from '@roadstead/kit';

/** Whether the database of traces answers. */
export async function isReachable(db: Queryable): Promise<boolean> {
  return db.query('select').then(
    () => true,
    () => false,
  );
}
