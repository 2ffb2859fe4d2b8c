import type { Queryable } from '@roadstead/postgres';
import type { RowKeys, RunKeys } from '../values/keys.ts';

/** The subject of a link, as the list of links names it. */

export interface SharedRunName {
  readonly run_id: string;
  readonly run_name: string | null;
  readonly run_type: string | null;
  readonly session_id: string | null;
  readonly session_name: string | null;
}

export async function nameRuns(
  db: Queryable,
  { workspace_id, run_ids }: RunKeys,
): Promise<Map<string, SharedRunName>> {
  if (run_ids.length === 0) return new Map();
  const rows = await db.query<SharedRunName>(
    `select r.run_id, r.name as run_name, r.run_type, r.session_id, s.name as session_name
     from traces.runs r left join traces.sessions s on s.workspace_id = r.workspace_id and s.id = r.session_id
     where r.workspace_id = $1 and r.run_id = any ($2::uuid[])`,
    [workspace_id, run_ids],
  );
  return new Map(rows.map((row) => [row.run_id, row]));
}

/** The names by id. */
export async function nameThings(
  db: Queryable,
  { workspace_id, table, ids }: RowKeys & { readonly table: 'datasets' | 'sessions' },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; name: string }>(
    `select id, name from traces.${table} where workspace_id = $1 and id = any ($2::uuid[])`,
    [workspace_id, ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
