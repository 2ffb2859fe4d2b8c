import type { Database } from '@roadstead/kit';

/**
 * Removes feedback and attachments whose run never came or is gone. They are kept apart from the partitions, since
 * they may come before their run; feedback of a whole project stays as long as the project.
 * @param before ISO text; younger ones stay.
 */
export async function removeOrphans(db: Database, before: string): Promise<void> {
  for (const table of ['attachments', 'feedback']) {
    await db.patientTransaction((tx) =>
      tx.run(
        `delete from traces.${table} l where l.received_at < $1 and l.run_id is not null and not exists (
           select from traces.runs r where r.run_id = l.run_id and r.workspace_id = l.workspace_id)`,
        [before],
      ),
    );
  }
}
