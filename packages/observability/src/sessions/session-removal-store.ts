import type { Database, Queryable } from '@roadstead/postgres';
import { type DoomedRun, removeRuns } from '../records/run-removal-store.ts';
import type { RowKey } from '../values/keys.ts';

/** Removes the rows that a deleted project leaves behind, in steps that each commit. */

const STEP = 2000;

export async function listDeletedSessions(db: Queryable): Promise<RowKey[]> {
  return db.query<RowKey>('select workspace_id, id from traces.sessions where deleted_at is not null');
}

/** @returns how many runs this step found. */
export async function removeSomeRuns(db: Database, { workspace_id, id }: RowKey): Promise<number> {
  return db.transaction(async (tx) => {
    const runs = await tx.query<DoomedRun>(
      `select r.run_id, r.workspace_id, r.tier, r.week, r.trace_id from traces.runs r
       join traces.sessions s on s.workspace_id = r.workspace_id and s.id = r.session_id and s.deleted_at is not null
       where r.session_id = $2 and r.workspace_id = $1 limit ${STEP}`,
      [workspace_id, id],
    );
    await removeRuns(tx, runs, { from: id });
    return runs.length;
  });
}

/** The last step, once no run is left: removes the project. */
export async function removeSession(db: Database, session: RowKey): Promise<void> {
  const values = [session.workspace_id, session.id];
  await db.patientTransaction(async (tx) => {
    await tx.run(
      `delete from traces.traces t where workspace_id = $1 and session_id = $2 and not exists (
         select from traces.runs r where r.trace_id = t.trace_id and r.workspace_id = t.workspace_id)`,
      values,
    );
    for (const table of ['feedback', 'feedback_formulas'])
      await tx.run(`delete from traces.${table} where workspace_id = $1 and session_id = $2`, values);
    await tx.run(
      `delete from traces.shares where workspace_id = $1 and kind = 'thread' and subject_id = $2`,
      values,
    );
    await tx.run(
      'delete from traces.sessions where workspace_id = $1 and id = $2 and deleted_at is not null',
      values,
    );
  });
}
