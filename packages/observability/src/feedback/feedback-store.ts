import type { Transaction } from '@roadstead/kit';
import type { FeedbackOperation } from '../ingest/run-operation.ts';

/** Feedback as it was sent; it may come before its run, or belong to none. */
export async function upsertFeedback(
  tx: Transaction,
  {
    feedback,
    received_at,
  }: {
    readonly feedback: readonly (FeedbackOperation & { readonly workspace_id: string })[];
    readonly received_at: string;
  },
): Promise<void> {
  const distinct = [
    ...new Map(feedback.map((one) => [`${one.workspace_id}/${one.feedback_id}`, one])).values(),
  ];
  if (distinct.length === 0) return;
  await tx.run(
    `insert into traces.feedback (workspace_id, feedback_id, run_id, trace_id, session_id, key, record, received_at)
     select u.*, $8::timestamptz
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::bytea[]) u
     on conflict (feedback_id, workspace_id) do update set run_id = excluded.run_id, trace_id = excluded.trace_id,
       session_id = excluded.session_id, key = excluded.key, record = excluded.record`,
    [
      distinct.map((one) => one.workspace_id),
      distinct.map((one) => one.feedback_id),
      distinct.map((one) => one.run_id ?? null),
      distinct.map((one) => one.trace_id ?? null),
      distinct.map((one) => one.session_id ?? null),
      distinct.map((one) => one.key),
      distinct.map((one) => one.record),
      received_at,
    ],
  );
}
