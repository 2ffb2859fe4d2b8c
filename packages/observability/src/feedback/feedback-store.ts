import type { Transaction } from '@roadstead/kit';
import type { FeedbackRow } from './feedback-row.ts';

const columns = {
  workspace_id: 'uuid',
  feedback_id: 'uuid',
  run_id: 'uuid',
  trace_id: 'uuid',
  session_id: 'uuid',
  key: 'text',
  score: 'float8',
  value: 'jsonb',
  comment: 'text',
  correction: 'jsonb',
  source_type: 'text',
  source: 'jsonb',
  user_id: 'uuid',
  feedback_group_id: 'uuid',
  comparative_experiment_id: 'uuid',
  error: 'boolean',
  extra: 'jsonb',
  created_at: 'timestamptz',
  modified_at: 'timestamptz',
} as const satisfies Record<keyof FeedbackRow, string>;

const names = Object.keys(columns);
const kept = new Set(['workspace_id', 'feedback_id', 'created_at', 'trace_id', 'session_id']);
/** What it has from its run, it keeps as long as it is about that run. */
const isPlaced = 'f.start_time is not null and f.run_id = excluded.run_id';

const upsert = `
  insert into traces.feedback as f (${names.join(', ')}, received_at)
  select ${names.map((name) => `j.${name}`).join(', ')}, j.modified_at
  from json_to_recordset($1::text::json) as j(${Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})
  order by j.feedback_id
  on conflict (feedback_id, workspace_id) do update set
  trace_id = case when ${isPlaced} then f.trace_id else excluded.trace_id end,
  session_id = case when ${isPlaced} then f.session_id else excluded.session_id end,
  start_time = case when ${isPlaced} then f.start_time end,
  thread_id = case when ${isPlaced} then f.thread_id end,
  ${names
    .filter((name) => !kept.has(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;

/** Writes whole rows over those that are there; of the same feedback the last one counts. */
export async function upsertFeedback(tx: Transaction, rows: readonly FeedbackRow[]): Promise<void> {
  const distinct = new Map(rows.map((row) => [`${row.workspace_id}/${row.feedback_id}`, row]));
  if (distinct.size > 0) await tx.run(upsert, [JSON.stringify([...distinct.values()])]);
}
