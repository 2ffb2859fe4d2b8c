import type { FeedbackConfig } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import { wholeConfig } from './feedback-config-rules.ts';
import type { InWorkspace } from '../values/keys.ts';
import type { OrderedPage } from '../values/pages.ts';

/** The scale of a key's feedback. */
export interface FeedbackConfigRow {
  readonly workspace_id: string;
  readonly feedback_key: string;
  readonly feedback_config: FeedbackConfig;
  readonly is_lower_score_better: boolean | null;
  /** Whether it was set by itself rather than together with feedback. */
  readonly is_enforced: boolean;
  readonly modified_at: string;
}

const columns = `workspace_id, feedback_key, feedback_config, is_lower_score_better, is_enforced,
  ${instantText('modified_at')} as modified_at`;
const noSuch = () => new Problem('not_found', 'There is no configuration of this feedback key.');

/** @returns the stored row, which may be another one than this. */
export async function ensureFeedbackConfig(
  db: Queryable,
  row: FeedbackConfigRow,
): Promise<FeedbackConfigRow> {
  return db.one<FeedbackConfigRow>(
    `insert into traces.feedback_configs as c
       (workspace_id, feedback_key, feedback_config, is_lower_score_better, is_enforced, modified_at)
     values ($1, $2, $3::text::jsonb, $4, $5, $6)
     on conflict (workspace_id, feedback_key) do update set is_enforced = c.is_enforced or excluded.is_enforced
       and c.feedback_config = excluded.feedback_config
     returning ${columns}`,
    [
      row.workspace_id,
      row.feedback_key,
      JSON.stringify(wholeConfig(row.feedback_config)),
      row.is_lower_score_better,
      row.is_enforced,
      row.modified_at,
    ],
  );
}

/** @throws Problem `not_found`. */
export async function lockFeedbackConfig(
  tx: Transaction,
  { workspace_id, feedback_key }: Pick<FeedbackConfigRow, 'workspace_id' | 'feedback_key'>,
): Promise<FeedbackConfigRow> {
  const row = await tx.maybe<FeedbackConfigRow>(
    `select ${columns} from traces.feedback_configs where workspace_id = $1 and feedback_key = $2 for update`,
    [workspace_id, feedback_key],
  );
  if (row === undefined) throw noSuch();
  return row;
}

/** A null field stays as it is. @throws Problem `not_found`. */
export async function updateFeedbackConfig(
  db: Queryable,
  change: InWorkspace & {
    readonly feedback_key: string;
    readonly feedback_config: FeedbackConfig | null;
    readonly is_lower_score_better: boolean | null;
    readonly modified_at: string;
  },
): Promise<FeedbackConfigRow> {
  const row = await db.maybe<FeedbackConfigRow>(
    `update traces.feedback_configs set feedback_config = coalesce($3::text::jsonb, feedback_config),
       is_lower_score_better = coalesce($4, is_lower_score_better), is_enforced = true, modified_at = $5
     where workspace_id = $1 and feedback_key = $2 returning ${columns}`,
    [
      change.workspace_id,
      change.feedback_key,
      change.feedback_config === null ? null : JSON.stringify(wholeConfig(change.feedback_config)),
      change.is_lower_score_better,
      change.modified_at,
    ],
  );
  if (row === undefined) throw noSuch();
  return row;
}

/** The configurations, in the order of their last change. */
export async function listFeedbackConfigs(
  db: Queryable,
  filter: InWorkspace & {
    readonly keys: readonly string[] | undefined;
    readonly name_contains: string | undefined;
    readonly is_enforced?: boolean | undefined;
  },
  page: OrderedPage,
): Promise<FeedbackConfigRow[]> {
  return db.query<FeedbackConfigRow>(
    `select ${columns} from traces.feedback_configs
     where workspace_id = $1 and ($2::text[] is null or feedback_key = any ($2::text[]))
       and ($3::text is null or position(lower($3) in lower(feedback_key)) > 0)
       and is_enforced = coalesce($4, is_enforced)
     order by feedback_configs.modified_at ${page.descending ? 'desc' : 'asc'}, feedback_key
     limit ${page.limit} offset ${page.offset}`,
    [filter.workspace_id, filter.keys ?? null, filter.name_contains ?? null, filter.is_enforced ?? null],
  );
}

/** @throws Problem `not_found`. */
export async function deleteFeedbackConfig(
  db: Queryable,
  { workspace_id, feedback_key }: Pick<FeedbackConfigRow, 'workspace_id' | 'feedback_key'>,
): Promise<void> {
  const gone = await db.run(
    'delete from traces.feedback_configs where workspace_id = $1 and feedback_key = $2',
    [workspace_id, feedback_key],
  );
  if (gone === 0) throw noSuch();
}
