import type { Transaction } from '@roadstead/kit';
import type { FeedbackOperation } from '../ingest/run-operation.ts';
import { placeFeedback } from './feedback-placing-store.ts';
import { upsertFeedback } from './feedback-store.ts';

/** Writes feedback that came with runs, or alone; those whose run is there are placed beside it. */
export async function takeFeedback(
  tx: Transaction,
  {
    feedback,
    now,
  }: {
    readonly feedback: readonly (FeedbackOperation & { readonly workspace_id: string })[];
    /** ISO text. */
    readonly now: string;
  },
): Promise<void> {
  const rows = feedback.map((one) => ({
    ...one,
    user_id: null,
    created_at: one.created_at ?? now,
    modified_at: now,
  }));
  await upsertFeedback(tx, rows);
  for (const [workspace_id, some] of Map.groupBy(rows, (row) => row.workspace_id))
    await placeFeedback(tx, { workspace_id, run_ids: some.flatMap((row) => row.run_id ?? []) });
}
