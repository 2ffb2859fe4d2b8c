import type { Queryable } from '@roadstead/postgres';
import type { TtlStrategy } from '../threads/thread-row.ts';

/** Finds and removes what has expired. It uses connections whose planner may scan. */

const isIdle = 't.thread_id not in (select r.thread_id from queue q join runs r using (run_id))';

/** Threads that have expired. */
export async function listExpired(
  db: Queryable,
  limit: number,
): Promise<{ readonly thread_id: string; readonly strategy: TtlStrategy }[]> {
  return db.query(
    `select thread_id, ttl_strategy as strategy from threads t where expires_at <= now() and ${isIdle} order by expires_at limit $1`,
    [limit],
  );
}

/**
 * Threads without an expiry of their own that nothing has changed for so many minutes and that were not pruned since.
 */
export async function listOutdated(
  db: Queryable,
  { minutes, limit }: { readonly minutes: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db.query<{ thread_id: string }>(
    `select thread_id from threads t where updated_at < now() - make_interval(secs => $1::double precision * 60)
       and updated_hour <= (now() - make_interval(secs => $1::double precision * 60)) at time zone 'UTC'
       and not temporary and expires_at is null and updated_at > coalesce(pruned_at, '-infinity') and ${isIdle}
     order by updated_hour, updated_at limit $2`,
    [minutes, limit],
  );
  return rows.map((row) => row.thread_id);
}

/** Threads that were to go with their run, but whose process went first. */
export async function listLeftover(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ thread_id: string }>(
    `select thread_id from threads t where temporary and updated_at < now() - interval '10 minutes' and ${isIdle} limit $1`,
    [limit],
  );
  return rows.map((row) => row.thread_id);
}

/** Restarts the time of threads that were pruned. */
export async function prolongThreads(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.run(
    `update threads set expires_at = now() + make_interval(secs => ttl_minutes * 60) where thread_id = any($1::uuid[])`,
    [ids],
  );
}

/** Deletes the events of runs without a task, except their last, once they have ended so many hours ago. */
export async function deleteOldEvents(
  db: Queryable,
  { hours, limit }: { readonly hours: number; readonly limit: number },
): Promise<number> {
  return db.run(
    `delete from run_events e using (
       select e.run_id, e.seq from run_events e join runs r using (run_id)
       where r.task_id is null and r.ended_at < now() - make_interval(hours => $1)
         and e.seq < (select max(l.seq) from run_events l where l.run_id = e.run_id)
       limit $2) as old
     where e.run_id = old.run_id and e.seq = old.seq`,
    [hours, limit],
  );
}

/** When the next thread expires; null where none does. */
export async function nextThreadExpiry(db: Queryable): Promise<string | null> {
  return (
    await db.one<{ at: string | null }>(
      'select min(expires_at) as at from threads where expires_at is not null',
    )
  ).at;
}
