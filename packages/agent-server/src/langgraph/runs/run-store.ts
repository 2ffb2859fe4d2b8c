import type { RunStatus } from '@roadstead/contracts/agent-server';
import { isUuid } from '@roadstead/kit';
import type { Database, Queryable } from '@roadstead/postgres';
import type { MetadataFilters } from '../../access/caller.ts';
import { containmentOf } from '../../access/filter-rules.ts';
import { UNFINISHED } from '../../runs/run-status-rules.ts';
import type { Page } from '../../database/page.ts';
import type { ThreadMetadata } from '../../threads/thread-store.ts';

/** Lists the runs of threads, and removes single runs. */

/** The parts of a thread that its runs use. */
export interface ThreadSettings {
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The settings of a thread that passes the filters. */
export async function findThreadSettings(
  db: Queryable,
  { thread_id, filters }: { readonly thread_id: string; readonly filters: MetadataFilters | null },
): Promise<ThreadSettings | undefined> {
  if (!isUuid(thread_id)) return undefined;
  return db.maybe<ThreadSettings>(
    'select metadata from threads where thread_id = $1 and metadata @> $2::text::jsonb',
    [thread_id, JSON.stringify(containmentOf(filters))],
  );
}

/** Merges metadata into a thread's, one level deep. */
export async function stampThread(db: Queryable, stamp: ThreadMetadata): Promise<void> {
  await db.run(
    'update threads set metadata = metadata || $2::text::jsonb, updated_at = now() where thread_id = $1',
    [stamp.thread_id, JSON.stringify(stamp.metadata)],
  );
}

export interface RunPage extends Page {
  readonly thread_id: string;
  readonly status?: RunStatus | undefined;
}

/** The ids of a thread's runs, newest first. */
export async function listRunIds(
  db: Queryable,
  { thread_id, status, limit, offset }: RunPage,
): Promise<string[]> {
  const rows = await db.query<{ run_id: string }>(
    `select run_id from runs where thread_id = $1 and ($2::text is null or status = $2)
     order by created_at desc, run_id desc limit $3 offset $4`,
    [thread_id, status ?? null, limit, offset],
  );
  return rows.map(({ run_id }) => run_id);
}

export interface UnfinishedQuery {
  readonly status: 'pending' | 'running' | 'all';
  readonly thread_id: string | undefined;
  readonly filters: MetadataFilters | null;
}

/** Unfinished runs of threads that pass the filters. */
export async function listUnfinished(
  db: Queryable,
  { status, thread_id, filters }: UnfinishedQuery,
): Promise<string[]> {
  const rows = await db.query<{ run_id: string }>(
    `select q.run_id from queue q join runs r using (run_id) join threads t using (thread_id)
     where ($1::text = 'all' or r.status = $1) and ($2::uuid is null or r.thread_id = $2) and t.metadata @> $3::text::jsonb
     order by q.position`,
    [status, thread_id ?? null, JSON.stringify(containmentOf(filters))],
  );
  return rows.map(({ run_id }) => run_id);
}

/** Removes a run that has ended, with its events. */
export async function deleteRun(db: Database, run_id: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const gone = await tx.run(
      `delete from runs where run_id = $1 and task_id is null and status not in (${UNFINISHED})`,
      [run_id],
    );
    if (gone === 0) return false;
    await tx.run('delete from run_events where run_id = $1', [run_id]);
    return true;
  });
}

export async function findNewestRun(db: Queryable, thread_id: string): Promise<string | undefined> {
  const row = await db.maybe<{ run_id: string }>(
    'select run_id from runs where thread_id = $1 order by created_at desc, run_id desc limit 1',
    [thread_id],
  );
  return row?.run_id;
}

/** When the state of a thread last changed; undefined where it never did. */
export async function findStateTime(db: Queryable, thread_id: string): Promise<string | undefined> {
  const row = await db.maybe<{ at: string | null }>(
    'select state_updated_at::text as at from threads where thread_id = $1',
    [thread_id],
  );
  return row?.at ?? undefined;
}
