import type { FeedbackConfig } from '@roadstead/contracts/observability';
import type { Transaction } from '@roadstead/postgres';
import type { FeedbackOperation } from '../records/run-operation.ts';
import { requestExtensions } from '../retention/extension-store.ts';
import type { RunRow } from '../records/run-row.ts';
import { isSameConfig, refusedConfig, requireSense } from './feedback-config-rules.ts';
import { ensureFeedbackConfig } from './feedback-config-store.ts';
import { placeFeedback } from './feedback-placing-store.ts';
import type { FeedbackRow } from '../records/feedback-row.ts';
import { upsertFeedback } from './feedback-store.ts';
import type { InWorkspace, RunKeys } from '../values/keys.ts';

/** Called with the runs on which feedback was written, in the transaction that writes it. */
export type OnFeedback = (tx: Transaction, on: RunKeys) => Promise<void>;

/** Writes feedback that arrived with runs, which may still be missing. */
export async function takeFeedback(
  tx: Transaction,
  {
    feedback,
    now,
    onFeedback,
  }: {
    readonly feedback: readonly (FeedbackOperation & InWorkspace)[];
    /** ISO text. */
    readonly now: string;
    readonly onFeedback: OnFeedback;
  },
): Promise<void> {
  const rows = feedback.map((one) => ({
    ...one,
    user_id: null,
    created_at: one.created_at ?? now,
    modified_at: now,
  }));
  await writeFeedback(tx, { rows, onFeedback });
  const extending = rows.filter((row) => row.extends_retention);
  await requestExtensions(tx, { runs: extending, now });
}

/** Writes feedback, and places it where its run exists. */
export async function writeFeedback(
  tx: Transaction,
  { rows, onFeedback }: { readonly rows: readonly FeedbackRow[]; readonly onFeedback: OnFeedback },
): Promise<void> {
  await upsertFeedback(tx, rows);
  for (const [workspace_id, some] of Map.groupBy(rows, (row) => row.workspace_id)) {
    const run_ids = [...new Set(some.flatMap((row) => row.run_id ?? []))];
    await placeFeedback(tx, { workspace_id, run_ids });
    await onFeedback(tx, { workspace_id, run_ids });
  }
}

/** Places feedback on runs that were written or moved just now. */
export async function placeDigested(
  tx: Transaction,
  runs: readonly { readonly row: Pick<RunRow, 'workspace_id' | 'run_id'> }[],
): Promise<void> {
  for (const [workspace_id, some] of Map.groupBy(runs, ({ row }) => row.workspace_id))
    await placeFeedback(tx, { workspace_id, run_ids: some.map(({ row }) => row.run_id) });
}

/** @throws Problem `conflict` or `invalid` where the key is scored in another way. */
export async function agreeOnConfig(
  tx: Transaction,
  sent: InWorkspace & {
    readonly key: string;
    readonly config: FeedbackConfig | null | undefined;
    readonly now: string;
  },
): Promise<void> {
  const { workspace_id, key, config, now } = sent;
  if (config === null || config === undefined) return;
  requireSense(config);
  const stored = await ensureFeedbackConfig(tx, {
    workspace_id,
    feedback_key: key,
    feedback_config: config,
    is_lower_score_better: null,
    is_enforced: false,
    modified_at: now,
  });
  if (!isSameConfig(stored.feedback_config, config)) throw refusedConfig(stored);
}
