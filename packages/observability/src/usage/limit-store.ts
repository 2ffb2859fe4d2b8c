import { uuidv7 } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { InWorkspace, RowKey } from '../values/keys.ts';

/** The monthly limits that a workspace sets itself. */

export interface LimitRow {
  readonly id: string;
  readonly kind: 'monthly_traces' | 'monthly_longlived_traces' | 'monthly_bytes';
  readonly value: number;
  readonly created_at: string;
  readonly updated_at: string;
}

const columns = 'id, kind, value, created_at, updated_at';

export async function listLimits(db: Queryable, workspace_id: string): Promise<LimitRow[]> {
  return db.query<LimitRow>(
    `select ${columns} from traces.usage_limits where workspace_id = $1 order by kind`,
    [workspace_id],
  );
}

/** Writes a limit; each kind has one. */
export async function upsertLimit(
  db: Queryable,
  { workspace_id, kind, value }: Pick<LimitRow, 'kind' | 'value'> & InWorkspace,
): Promise<LimitRow> {
  return db.one<LimitRow>(
    `insert into traces.usage_limits (workspace_id, kind, id, value) values ($1, $2, $3, $4)
     on conflict (workspace_id, kind) do update set value = excluded.value, updated_at = now()
     returning ${columns}`,
    [workspace_id, kind, uuidv7(), value],
  );
}

/** Deletes a limit. @returns whether it existed. */
export async function deleteLimit(db: Queryable, { workspace_id, id }: RowKey): Promise<boolean> {
  return (
    (await db.run('delete from traces.usage_limits where workspace_id = $1 and id = $2', [
      workspace_id,
      id,
    ])) > 0
  );
}

/** SQL: whether the workspace has reached its limit of long-lived traces this month. @param now a parameter. */
export const hasEnoughLonglived = (workspace_id: string, now: string) => `exists (
  select from traces.usage_limits l where l.workspace_id = ${workspace_id} and l.kind = 'monthly_longlived_traces'
    and l.value <= (select coalesce(sum(u.longlived), 0) from traces.usage u where u.workspace_id = l.workspace_id
      and u.day >= date_trunc('month', ${now}::timestamptz at time zone 'UTC')::date))`;
