import { escapeIdentifier } from 'pg';
import type { Database } from './database.ts';

/** What several instances of a service divide among them: one of them does each piece of work at a time. */

/**
 * Does the work unless another instance holds the claim of this name. The claim is a lock of a transaction that does
 * nothing else, so that it ends with the process that holds it.
 * @returns whether it was done here.
 */
export async function whileClaimed(
  db: Database,
  name: string,
  { work }: { readonly work: () => Promise<void> },
): Promise<boolean> {
  return db.patientTransaction(async (tx) => {
    const { taken } = await tx.one<{ taken: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('roadstead.claim.' || current_schema() || '.' || $1, 0)) as taken`,
      [name],
    );
    if (taken) await work();
    return taken;
  });
}

/** Whoever does the work may end before it is through. */
const ELSEWHERE_MS = 60_000;

/** Where `oncePer` keeps who was last; a migration of the schema in whose name it is called makes it. */
export const periodicWorkTable =
  'create table periodic_work (name text primary key, done_at timestamptz not null);';

interface PeriodicWork {
  /** The schema with the table. */
  readonly schema: string;
  readonly name: string;
  readonly every_ms: number;
  readonly work: () => Promise<void>;
}

/**
 * Does work that is due once in a while, wherever it is done: unless it was done less than `every_ms` ago, or another
 * instance does it now. What throws is due at once.
 * @returns after how many milliseconds to look again.
 */
export async function oncePer(db: Database, { schema, name, every_ms, work }: PeriodicWork): Promise<number> {
  const table = `${escapeIdentifier(schema)}.periodic_work`;
  let again_ms = ELSEWHERE_MS;
  await whileClaimed(db, name, {
    work: async () => {
      const row = await db.maybe<{ left_ms: number }>(
        `select $2 - extract(epoch from now() - done_at)::float8 * 1000 as left_ms from ${table} where name = $1`,
        [name, every_ms],
      );
      again_ms = Math.max(0, row?.left_ms ?? 0);
      if (again_ms > 0) return;
      await work();
      await db.run(
        `insert into ${table} (name, done_at) values ($1, now())
         on conflict (name) do update set done_at = excluded.done_at`,
        [name],
      );
      again_ms = every_ms;
    },
  });
  return again_ms;
}
