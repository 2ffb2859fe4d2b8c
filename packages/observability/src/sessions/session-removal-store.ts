import type { Database, Queryable } from '@roadstead/kit';

/** Removes what a deleted project leaves behind, in steps that each commit. */

const STEP = 2000;

export interface DeletedSession {
  readonly workspace_id: string;
  readonly id: string;
}

export async function listDeletedSessions(db: Queryable): Promise<DeletedSession[]> {
  return db.query<DeletedSession>(
    'select workspace_id, id from traces.sessions where deleted_at is not null',
  );
}

/** @returns how many runs this step removed. */
export async function removeSomeRuns(db: Queryable, session: DeletedSession): Promise<number> {
  const { removed } = await db.one<{ removed: number }>(
    `with doomed as (
       select r.run_id, r.workspace_id, r.tier, r.week from traces.runs r
       join traces.sessions s on s.workspace_id = r.workspace_id and s.id = r.session_id and s.deleted_at is not null
       where r.session_id = $2 and r.workspace_id = $1 limit ${STEP}
     ), gone as (
       delete from traces.runs r using doomed d where r.run_id = d.run_id and r.workspace_id = d.workspace_id
         and r.tier = d.tier and r.week = d.week and r.session_id = $2 returning r.run_id, r.workspace_id, r.tier, r.week
     ), payloads as (
       delete from traces.payloads p using gone g where p.run_id = g.run_id and p.workspace_id = g.workspace_id
         and p.tier = g.tier and p.week = g.week
     ), attachments as (
       delete from traces.attachments a using gone g where a.run_id = g.run_id and a.workspace_id = g.workspace_id
     ), feedback as (
       delete from traces.feedback f using gone g where f.run_id = g.run_id and f.workspace_id = g.workspace_id
     ), strays as (
       delete from traces.strays y using gone g where y.run_id = g.run_id and y.workspace_id = g.workspace_id
     )
     select count(*) as removed from doomed`,
    [session.workspace_id, session.id],
  );
  return removed;
}

/** The last step, once no run is left. */
export async function removeSession(db: Database, session: DeletedSession): Promise<void> {
  const values = [session.workspace_id, session.id];
  await db.patientTransaction(async (tx) => {
    await tx.run('delete from traces.traces where workspace_id = $1 and session_id = $2', values);
    await tx.run('delete from traces.feedback where workspace_id = $1 and session_id = $2', values);
    await tx.run(
      'delete from traces.sessions where workspace_id = $1 and id = $2 and deleted_at is not null',
      values,
    );
  });
}
