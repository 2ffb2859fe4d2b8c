import { Problem } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { FeedbackRow, PlacedFeedback } from '../records/feedback-row.ts';
import type { TraceKeys } from '../values/keys.ts';
import type { OffsetPage } from '../values/pages.ts';

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
/** Whether feedback keeps the values copied from its run, which holds while it is about that run. */
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

/** Writes whole rows over the existing ones; the last row for the same feedback wins. */
export async function upsertFeedback(tx: Transaction, rows: readonly FeedbackRow[]): Promise<void> {
  const distinct = new Map(rows.map((row) => [`${row.workspace_id}/${row.feedback_id}`, row]));
  if (distinct.size > 0) await tx.run(upsert, [JSON.stringify([...distinct.values()])]);
}

const placed = { ...columns, start_time: 'timestamptz', thread_id: 'text', is_root: 'boolean' };
const read = Object.entries(placed)
  .map(([name, type]) => (type === 'timestamptz' ? `${instantText(`f.${name}`)} as ${name}` : `f.${name}`))
  .join(', ');

/** Feedback of a deleted project is invisible; it is removed afterwards. */
const isLive = `not exists (select from traces.sessions s
  where s.id = f.session_id and s.workspace_id = f.workspace_id and s.deleted_at is not null)`;
const noSuch = () => new Problem('not_found', 'There is no such feedback.');
interface FeedbackId {
  readonly workspace_id: string;
  readonly feedback_id: string;
}

/** @throws Problem `not_found`. */
export async function readFeedback(
  db: Queryable,
  { workspace_id, feedback_id }: FeedbackId,
): Promise<PlacedFeedback> {
  const row = await db.maybe<PlacedFeedback>(
    `select ${read} from traces.feedback f where f.workspace_id = $1 and f.feedback_id = $2 and ${isLive}`,
    [workspace_id, feedback_id],
  );
  if (row === undefined) throw noSuch();
  return row;
}

/** A filter; an undefined field does not narrow it, and any item of a list may match. */
export interface FeedbackFilter {
  readonly workspace_id: string;
  readonly run_ids?: readonly string[] | undefined;
  readonly trace_ids?: readonly string[] | undefined;
  readonly session_ids?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly source_types?: readonly string[] | undefined;
  readonly user_ids?: readonly string[] | undefined;
  readonly has_comment?: boolean | undefined;
  readonly has_score?: boolean | undefined;
  readonly level?: 'run' | 'session' | undefined;
  readonly min_created_at?: string | undefined;
  readonly max_created_at?: string | undefined;
  readonly comparative_experiment_id?: string | undefined;
}

const conditions = {
  workspace_id: (p) => `f.workspace_id = ${p}`,
  run_ids: (p) => `f.run_id = any (${p}::uuid[])`,
  trace_ids: (p) => `f.trace_id = any (${p}::uuid[])`,
  session_ids: (p) => `f.session_id = any (${p}::uuid[])`,
  keys: (p) => `f.key = any (${p}::text[])`,
  source_types: (p) => `f.source_type = any (${p}::text[])`,
  user_ids: (p) => `f.user_id = any (${p}::uuid[])`,
  has_comment: (p) => `(coalesce(f.comment, '') <> '') = ${p}`,
  has_score: (p) => `(f.score is not null) = ${p}`,
  level: (p) => `f.level = ${p}`,
  min_created_at: (p) => `f.created_at >= ${p}::timestamptz`,
  max_created_at: (p) => `f.created_at <= ${p}::timestamptz`,
  comparative_experiment_id: (p) => `f.comparative_experiment_id = ${p}`,
} as const satisfies Record<keyof FeedbackFilter, (parameter: string) => string>;

/** Newest first. */
export async function listFeedback(
  db: Queryable,
  filter: FeedbackFilter,
  { limit, offset }: OffsetPage,
): Promise<PlacedFeedback[]> {
  const given = (Object.keys(conditions) as (keyof FeedbackFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  return db.query<PlacedFeedback>(
    `select ${read} from traces.feedback f
     where ${given.map((name, index) => conditions[name](`$${index + 1}`)).join(' and ')} and ${isLive}
     order by f.created_at desc, f.feedback_id desc limit ${limit} offset ${offset}`,
    given.map((name) => filter[name]),
  );
}

export type FeedbackChange = Partial<Pick<FeedbackRow, 'score' | 'value' | 'comment' | 'correction'>>;

/** An undefined field stays as it is. @throws Problem `not_found`. */
export async function updateFeedback(
  tx: Queryable,
  { workspace_id, feedback_id }: FeedbackId,
  { modified_at, ...change }: FeedbackChange & { readonly modified_at: string },
): Promise<PlacedFeedback> {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const row = await tx.maybe<PlacedFeedback>(
    `update traces.feedback f set modified_at = $3
       ${given.map(([name]) => `, ${name} = j.${name}`).join('')}
     from json_to_record($4::text::json) as j(score float8, value jsonb, comment text, correction jsonb)
     where f.workspace_id = $1 and f.feedback_id = $2 returning ${read}`,
    [workspace_id, feedback_id, modified_at, JSON.stringify(Object.fromEntries(given))],
  );
  if (row === undefined) throw noSuch();
  return row;
}

/** @returns how many were deleted. */
export async function deleteFeedbackOfTraces(
  tx: Transaction,
  { workspace_id, trace_ids }: TraceKeys,
): Promise<number> {
  return tx.run('delete from traces.feedback where workspace_id = $1 and trace_id = any ($2::uuid[])', [
    workspace_id,
    trace_ids,
  ]);
}

/** @throws Problem `not_found`. */
export async function deleteFeedback(
  db: Queryable,
  { workspace_id, feedback_id }: FeedbackId,
): Promise<void> {
  const gone = await db.run('delete from traces.feedback where workspace_id = $1 and feedback_id = $2', [
    workspace_id,
    feedback_id,
  ]);
  if (gone === 0) throw noSuch();
}
