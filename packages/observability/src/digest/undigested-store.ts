import { isOutage } from '@roadstead/kit';
import type { UnderLock, Queryable, Transaction } from '@roadstead/postgres';
import { listWaitingWorkspaces } from '../claims/waiting-workspace-store.ts';
import type { RunPlace } from '../records/change-store.ts';
import type { RunKeys } from '../values/keys.ts';

/** Runs that were set aside because their digest failed. */

/**
 * Undoes the writes of work that fails.
 * @returns the error.
 * @throws an error that passes by itself: then the whole transaction is to be tried again.
 */
export async function attempt(
  tx: Transaction,
  work: () => Promise<void>,
): Promise<{ readonly error: unknown } | undefined> {
  await tx.run('savepoint attempt');
  try {
    await work();
  } catch (error) {
    if (isOutage(error)) throw error;
    await tx.run('rollback to savepoint attempt; release savepoint attempt');
    return { error };
  }
  await tx.run('release savepoint attempt');
  return undefined;
}

const FIRST_WAIT_S = 10;
const LONGEST_WAIT_S = 3600;

export interface SetAside {
  readonly attempts: number;
  readonly due_at: string;
}

/** Sets runs aside, each time for twice as long, up to an hour. */
export async function setAside(
  tx: UnderLock<'digest'>,
  { workspace_id, run_id, tier, week }: RunPlace,
  { reason }: { readonly reason: string },
): Promise<SetAside> {
  return tx.one<SetAside>(
    `insert into traces.undigested as u (workspace_id, run_id, tier, week, reason, due_at)
     values ($1, $2, $3, $4, $5, now() + make_interval(secs => ${FIRST_WAIT_S}))
     on conflict (workspace_id, run_id) do update set tier = excluded.tier, week = excluded.week,
       reason = excluded.reason, attempts = u.attempts + 1, due_at = now() + make_interval(
         secs => least(${LONGEST_WAIT_S}, ${FIRST_WAIT_S} * 2 ^ least(u.attempts, 20)))
     returning attempts, due_at`,
    [workspace_id, run_id, tier, week, reason],
  );
}

/** Lists some runs that are due. */
export async function listDueUndigested(tx: UnderLock<'digest'>, workspace_id: string): Promise<RunPlace[]> {
  return tx.query<RunPlace>(
    `select workspace_id, run_id, tier, week from traces.undigested
     where workspace_id = $1 and due_at <= now() order by due_at limit 50`,
    [workspace_id],
  );
}

export async function removeUndigested(
  tx: UnderLock<'digest'>,
  { workspace_id, run_ids }: RunKeys,
): Promise<void> {
  await tx.run('delete from traces.undigested where workspace_id = $1 and run_id = any ($2::uuid[])', [
    workspace_id,
    run_ids,
  ]);
}

export async function listUndigestedWorkspaces(db: Queryable): Promise<string[]> {
  return listWaitingWorkspaces(db, { table: 'traces.undigested', by: 'due_at', until: 'now()' });
}

export async function countUndigested(db: Queryable): Promise<number> {
  const { count } = await db.one<{ count: number }>('select count(*) as count from traces.undigested');
  return count;
}
