import type { Database } from '@roadstead/kit';

/** Tables, and since when a row of them is there. */
const tables = { attachments: 'received_at', feedback: 'received_at', annotation_queue_items: 'added_at' };

/**
 * Removes feedback, attachments and queue entries whose run never came or is gone. They are kept apart from the partitions, since
 * they may come before their run; feedback of a whole project stays as long as the project.
 * @param before ISO text; younger ones stay.
 */
export async function removeRunless(db: Database, before: string): Promise<void> {
  for (const [table, since] of Object.entries(tables)) {
    await db.patientTransaction((tx) =>
      tx.run(
        `delete from traces.${table} l where l.${since} < $1 and l.run_id is not null and not exists (
           select from traces.runs r where r.run_id = l.run_id and r.workspace_id = l.workspace_id)`,
        [before],
      ),
    );
  }
}
