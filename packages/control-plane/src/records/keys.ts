/** A row of any table: the workspace names it too, so that no statement reaches a row of another one. */
export interface RowKey {
  readonly workspace_id: string;
  readonly id: string;
}

/** Who changes something in a workspace, for the event about it. */
export interface WorkspaceActor {
  readonly workspace_id: string;
  readonly actor: string;
}

/** A row that somebody changes. */
export type RowChange = RowKey & WorkspaceActor;
