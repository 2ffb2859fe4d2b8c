import { Problem, type Transaction, uuidv7 } from '@roadstead/kit';

/** Puts a run into an annotation queue, where it stays if it is there already. @throws Problem `not_found` without the queue. */
export async function addRunToQueue(
  tx: Transaction,
  {
    run_id,
    ...wanted
  }: {
    readonly workspace_id: string;
    readonly queue_id: string;
    readonly run_id: string;
    readonly session_id: string;
    readonly start_time: string;
    readonly added_at: string;
  },
): Promise<void> {
  const { workspace_id, queue_id, session_id, start_time, added_at } = wanted;
  const queue = await tx.maybe(
    'select from traces.annotation_queues where workspace_id = $1 and id = $2 for key share',
    [workspace_id, queue_id],
  );
  if (queue === undefined) throw new Problem('not_found', 'The annotation queue of the rule is gone.');
  await tx.run(
    `insert into traces.annotation_queue_items
       (workspace_id, id, queue_id, item_type, run_id, session_id, start_time, added_at)
     values ($1, $2, $3, 'RUN', $4, $5, $6, $7) on conflict do nothing`,
    [workspace_id, uuidv7(), queue_id, run_id, session_id, start_time, added_at],
  );
}
