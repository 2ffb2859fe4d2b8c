import { uuidv7 } from '@roadstead/kit';
import type { Database, Queryable } from '@roadstead/postgres';
import type { Tier } from '../partitions/week-rules.ts';

/** The decisions of workspaces on how long traces are kept. */

export interface RetentionRow {
  readonly default_tier: Tier | null;
  readonly longlived_days: number | null;
  readonly retention_id: string | null;
  readonly retention_set_at: string | null;
  readonly retention_changed_at: string | null;
}

export async function readRetention(db: Queryable, workspace_id: string): Promise<RetentionRow | undefined> {
  return db.maybe<RetentionRow>(
    `select default_tier, longlived_days, retention_id, retention_set_at, retention_changed_at
     from traces.workspace_settings where workspace_id = $1`,
    [workspace_id],
  );
}

export interface RetentionChange {
  readonly workspace_id: string;
  readonly default_tier?: Tier;
  readonly longlived_days?: number | undefined;
  /** Whether it also applies to projects with another tier; experiments stay as they are. */
  readonly for_all_projects?: boolean;
}

export async function writeRetention(
  db: Database,
  { workspace_id, default_tier, longlived_days, for_all_projects = false }: RetentionChange,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(
      `insert into traces.workspace_settings as w
         (workspace_id, default_tier, longlived_days, retention_id, retention_set_at, retention_changed_at)
       values ($1, $2, $3, $4, now(), now())
       on conflict (workspace_id) do update set default_tier = coalesce($2, w.default_tier),
         longlived_days = coalesce($3, w.longlived_days), retention_id = coalesce(w.retention_id, $4),
         retention_set_at = coalesce(w.retention_set_at, now()), retention_changed_at = now()`,
      [workspace_id, default_tier ?? null, longlived_days ?? null, uuidv7()],
    );
    if (for_all_projects && default_tier !== undefined)
      await tx.run(
        `update traces.sessions set trace_tier = $2
         where workspace_id = $1 and reference_dataset_id is null and deleted_at is null`,
        [workspace_id, default_tier],
      );
  });
}

/** Lists workspaces that keep long-lived traces for less than the longest time. */
export async function listShorter(
  db: Queryable,
  longest_days: number,
): Promise<{ readonly workspace_id: string; readonly longlived_days: number }[]> {
  return db.query(
    'select workspace_id, longlived_days from traces.workspace_settings where longlived_days < $1 order by 1',
    [longest_days],
  );
}
