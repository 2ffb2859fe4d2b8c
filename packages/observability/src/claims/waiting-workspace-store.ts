import type { Queryable } from '@roadstead/postgres';

interface WaitingQuery {
  readonly table: string;
  /** The condition that a row waits; the same as that of the index. */
  readonly waits?: string;
  /** The column by which the index on the workspace continues; a row is due up to `until`. */
  readonly by: string;
  readonly until?: string;
  /** The values of the parameters. */
  readonly values?: readonly unknown[];
}

/**
 * Lists the workspaces with waiting rows, by one or two look-ups each along the index, regardless of the number of
 * rows.
 */
export async function listWaitingWorkspaces(
  db: Queryable,
  { table, waits = 'true', by, until, values = [] }: WaitingQuery,
): Promise<string[]> {
  const is_due = until === undefined ? 'true' : `d.${by} <= ${until}`;
  const rows = await db.query<{ workspace_id: string }>(
    `with recursive w as (
      (select workspace_id from ${table} where ${waits} order by workspace_id limit 1)
      union all
      select (select workspace_id from ${table} d where ${waits} and d.workspace_id > w.workspace_id
        order by workspace_id limit 1)
      from w where w.workspace_id is not null
    )
    select workspace_id from w, lateral (
      select from ${table} d where d.workspace_id = w.workspace_id and ${waits} and ${is_due}
      order by d.${by} limit 1) due`,
    values,
  );
  return rows.map(({ workspace_id }) => workspace_id);
}
