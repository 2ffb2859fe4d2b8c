interface Waiting {
  readonly table: string;
  /** Whether a row waits; the same as of the index. */
  readonly waits?: string;
  /** Whether a row `d` of a workspace is to be looked at now. */
  readonly is_due?: string;
}

/** The workspaces of which rows wait, found by one look each along an index that begins with the workspace. */
export function workspacesThatWait({ table, waits = 'true', is_due = 'true' }: Waiting): string {
  return `with recursive w as (
      (select workspace_id from ${table} where ${waits} order by workspace_id limit 1)
      union all
      select (select workspace_id from ${table} d where ${waits} and d.workspace_id > w.workspace_id
        order by workspace_id limit 1)
      from w where w.workspace_id is not null
    )
    select workspace_id from w, lateral (
      select from ${table} d where d.workspace_id = w.workspace_id and ${waits} and ${is_due} limit 1) due`;
}
