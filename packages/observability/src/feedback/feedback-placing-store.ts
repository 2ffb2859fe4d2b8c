import type { Queryable } from '@roadstead/postgres';
import type { RunKey, RunKeys } from '../values/keys.ts';

/**
 * Copies trace, project, conversation and start from runs to their feedback. Feedback may come before its run, and a
 * run may move when its root arrives, so this is done both after feedback and after runs are written. Feedback whose
 * run is placed already is not written to.
 */
export async function placeFeedback(db: Queryable, { workspace_id, run_ids }: RunKeys): Promise<number> {
  if (run_ids.length === 0) return 0;
  return db.run(
    `update traces.feedback f set trace_id = r.trace_id, session_id = r.session_id, start_time = r.start_time,
       thread_id = r.thread_id
     from (
       select distinct on (r.run_id) r.run_id, r.trace_id, r.session_id, r.start_time, r.thread_id
       from traces.runs r
       join traces.sessions s on s.workspace_id = r.workspace_id and s.id = r.session_id and s.deleted_at is null
       where r.workspace_id = $1 and r.run_id in (
         select g.run_id from traces.feedback g where g.workspace_id = $1 and g.run_id = any ($2::uuid[]))
       order by r.run_id, r.week desc
     ) r
     where f.workspace_id = $1 and f.run_id = r.run_id
       and (f.trace_id, f.session_id, f.start_time, f.thread_id)
         is distinct from (r.trace_id, r.session_id, r.start_time, r.thread_id)`,
    [workspace_id, [...new Set(run_ids)]],
  );
}

/** Runs that have arrived since feedback on them began to wait. */
export async function listRunsWithUnplacedFeedback(
  db: Queryable,
  { since, limit }: { readonly since: string; readonly limit: number },
): Promise<RunKey[]> {
  return db.query<RunKey>(
    `select distinct f.workspace_id, f.run_id from traces.feedback f
     join traces.runs r on r.run_id = f.run_id and r.workspace_id = f.workspace_id
     where f.run_id is not null and f.start_time is null and f.received_at >= $1 limit ${limit}`,
    [since],
  );
}
