import type { Queryable } from '@roadstead/postgres';
import type { OffsetPage } from '../values/pages.ts';
import type { RunKey } from '../values/keys.ts';

export interface FeedbackTokenRow {
  readonly token_hash: Buffer;
  readonly sealed_token: string;
  readonly workspace_id: string;
  readonly run_id: string;
  readonly feedback_key: string;
  /** ISO text. */
  readonly created_at: string;
  readonly expires_at: string;
}

const columns = 'token_hash, sealed_token, workspace_id, run_id, feedback_key, created_at, expires_at';

export async function insertFeedbackTokens(db: Queryable, rows: readonly FeedbackTokenRow[]): Promise<void> {
  for (const row of rows)
    await db.run(
      `insert into traces.feedback_tokens (${columns}) values ($1, $2, $3, $4, $5, $6, $7)`,
      columns.split(', ').map((name) => row[name as keyof FeedbackTokenRow]),
    );
}

/** The tokens that have not expired, newest first. */
export async function listFeedbackTokens(
  db: Queryable,
  { workspace_id, run_id, now }: RunKey & { readonly now: string },
  { limit, offset }: OffsetPage,
): Promise<FeedbackTokenRow[]> {
  return db.query<FeedbackTokenRow>(
    `select ${columns} from traces.feedback_tokens where run_id = $1 and workspace_id = $2 and expires_at > $3
     order by created_at desc, token_hash limit ${limit} offset ${offset}`,
    [run_id, workspace_id, now],
  );
}

export async function findFeedbackToken(
  db: Queryable,
  { token_hash, now }: { readonly token_hash: Buffer; readonly now: string },
): Promise<FeedbackTokenRow | undefined> {
  return db.maybe<FeedbackTokenRow>(
    `select ${columns} from traces.feedback_tokens where token_hash = $1 and expires_at > $2`,
    [token_hash, now],
  );
}

export async function deleteExpiredFeedbackTokens(db: Queryable, now: string): Promise<void> {
  await db.run('delete from traces.feedback_tokens where expires_at <= $1', [now]);
}
