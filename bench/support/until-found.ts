import { openDatabase } from '../../packages/postgres/src/index.ts';

/** Resolves when all runs that were acknowledged are digested. */
export async function untilFound(url: string): Promise<void> {
  await using db = openDatabase({ url, max: 1, name: 'bench' });
  const pending = async () => db.query('select from traces.changes limit 1');
  while ((await pending()).length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
}
