/** A row of any table: the workspace names it too, so that no statement reaches a row of another one. */
export interface RowKey {
  readonly workspace_id: string;
  readonly id: string;
}
