import type { Database, Queryable } from '@roadstead/postgres';

/** The runs of threads in the order in which they began, which is the order in which readers of a thread hear of them. */

export interface NumberedRun {
  readonly run_id: string;
  readonly number: number;
}

/**
 * Numbers the runs of a thread that have begun and have no number yet. Numbers stay when runs go, so that none is used
 * twice. Runs that another reader numbers at the same time are left to it, or to the next look.
 */
export async function numberRuns(db: Database, thread_id: string): Promise<void> {
  await db.run(
    `insert into run_numbers (thread_id, run_id, number)
     select thread_id, run_id, row_number() over (order by created_at, run_id)
       + coalesce((select max(number) from run_numbers where thread_id = $1), 0)
     from runs where thread_id = $1 and status <> 'pending'
       and not exists (select from run_numbers as known where known.thread_id = $1 and known.run_id = runs.run_id)
     on conflict do nothing`,
    [thread_id],
  );
}

/** A number among those of one thread. */
interface NumberKey {
  readonly thread_id: string;
  readonly number: number;
}

/** The first remaining run after a number. */
async function findRunAfter(
  db: Queryable,
  { thread_id, number }: NumberKey,
): Promise<NumberedRun | undefined> {
  return db.maybe<NumberedRun>(
    `select run_id, number from run_numbers join runs using (thread_id, run_id)
     where thread_id = $1 and number > $2 order by number limit 1`,
    [thread_id, number],
  );
}

/** The next run that has begun. */
export async function findNextRun(
  db: Database,
  { thread_id, number }: NumberKey,
): Promise<NumberedRun | undefined> {
  await numberRuns(db, thread_id);
  return findRunAfter(db, { thread_id, number });
}

/** The number of a run, which may be gone. */
export async function findNumberOf(
  db: Queryable,
  { thread_id, run_id }: { readonly thread_id: string; readonly run_id: string },
): Promise<number | undefined> {
  const row = await db.maybe<{ number: number }>(
    'select number from run_numbers where thread_id = $1 and run_id = $2',
    [thread_id, run_id],
  );
  return row?.number;
}

/** The newest numbered run that remains. */
export async function findNewestNumbered(db: Queryable, thread_id: string): Promise<NumberedRun | undefined> {
  return db.maybe<NumberedRun>(
    `select run_id, number from run_numbers join runs using (thread_id, run_id)
     where thread_id = $1 order by number desc limit 1`,
    [thread_id],
  );
}

interface LastBegun {
  readonly number: number;
  readonly is_unfinished: boolean;
  /** Whether any of its events were asked for. */
  readonly is_streamed: boolean;
}

/** The first of the unfinished runs that has a number, else the newest run that has one and remains. */
export async function findLastBegun(
  db: Queryable,
  { thread_id, unfinished }: { readonly thread_id: string; readonly unfinished: readonly string[] },
): Promise<LastBegun | undefined> {
  return db.maybe<LastBegun>(
    `select number, run_id = any ($2) as is_unfinished, runs.kwargs -> 'stream_mode' is distinct from '[]' as is_streamed
     from run_numbers join runs using (thread_id, run_id) where thread_id = $1
     order by case when run_id = any ($2) then number end nulls last, number desc limit 1`,
    [thread_id, unfinished],
  );
}
