import type { Database } from '@roadstead/postgres';

const withoutRun = `l.run_id is not null and not exists (
  select from traces.runs r where r.run_id = l.run_id and r.workspace_id = l.workspace_id)`;
/** @param project is the column that names the thread's project. */
const withoutTurn = (project: string) => `l.thread_id <> '' and not exists (
  select from traces.runs r where r.session_id = l.${project} and r.thread_id = l.thread_id
    and r.is_root and r.workspace_id = l.workspace_id)`;

/** Tables with the age of a row, and the condition that nothing is left of its subject. */
const runless = [
  ['attachments', 'received_at', withoutRun],
  ['feedback', 'received_at', withoutRun],
  ['annotation_queue_items', 'added_at', withoutRun],
  ['annotation_queue_items', 'added_at', withoutTurn('session_id')],
  ['shares', 'created_at', withoutTurn('subject_id')],
] as const;

/**
 * Removes feedback, attachments and queue entries whose run never came or is gone, and queue entries and links of
 * threads without a turn. They live outside the partitions, since they may arrive before their run; feedback of a
 * whole project stays as long as the project.
 * @param before ISO text; younger ones stay.
 */
export async function removeRunless(db: Database, before: string): Promise<void> {
  for (const [table, since, isLeft] of runless) {
    await db.patientTransaction((tx) =>
      tx.run(`delete from traces.${table} l where l.${since} < $1 and ${isLeft}`, [before]),
    );
  }
}
