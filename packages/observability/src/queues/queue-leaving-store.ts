import type { Transaction } from '@roadstead/kit';

/** Takes the runs of traces out of all annotation queues, and a thread with its last trace. */
export async function leaveQueues(
  tx: Transaction,
  { workspace_id, trace_ids }: { readonly workspace_id: string; readonly trace_ids: readonly string[] },
): Promise<void> {
  await tx.run(
    `delete from traces.annotation_queue_items i using traces.runs r
     where r.workspace_id = $1 and r.trace_id = any ($2::uuid[])
       and i.workspace_id = r.workspace_id and i.run_id = r.run_id`,
    [workspace_id, trace_ids],
  );
  await tx.run(
    `delete from traces.annotation_queue_items i using traces.traces t
     where t.workspace_id = $1 and t.trace_id = any ($2::uuid[])
       and i.workspace_id = t.workspace_id and i.session_id = t.session_id and i.thread_id = t.thread_id
       and not exists (select from traces.traces o where o.session_id = t.session_id and o.thread_id = t.thread_id
         and o.workspace_id = t.workspace_id and o.deletion_id is null)`,
    [workspace_id, trace_ids],
  );
}
