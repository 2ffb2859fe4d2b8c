/** What names rows: the workspace too, so that no statement reaches a row of another one. */

/** A row of any table. */
export interface RowKey {
  readonly workspace_id: string;
  readonly id: string;
}

export interface RowKeys {
  readonly workspace_id: string;
  readonly ids: readonly string[];
}

export interface RunKey {
  readonly workspace_id: string;
  readonly run_id: string;
}

export interface RunKeys {
  readonly workspace_id: string;
  readonly run_ids: readonly string[];
}

export interface TraceKey {
  readonly workspace_id: string;
  readonly trace_id: string;
}

export interface TraceKeys {
  readonly workspace_id: string;
  readonly trace_ids: readonly string[];
}
