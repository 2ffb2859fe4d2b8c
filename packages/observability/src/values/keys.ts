/** Keys of rows. Each names the workspace too, so that no statement reaches a row of another one. */

export interface InWorkspace {
  readonly workspace_id: string;
}

/** A row of any table. */
export interface RowKey extends InWorkspace {
  readonly id: string;
}

export interface RowKeys extends InWorkspace {
  readonly ids: readonly string[];
}

/** Rows that are marked as deleted at an instant. */
export interface RowDeletion extends RowKeys {
  readonly now: string;
}

export interface RunKey extends InWorkspace {
  readonly run_id: string;
}

export interface RunKeys extends InWorkspace {
  readonly run_ids: readonly string[];
}

export interface TraceKey extends InWorkspace {
  readonly trace_id: string;
}

export interface TraceKeys extends InWorkspace {
  readonly trace_ids: readonly string[];
}

/** A tracing project. */
export interface SessionKey extends InWorkspace {
  readonly session_id: string;
}

export interface SessionKeys extends InWorkspace {
  readonly session_ids: readonly string[];
}

/** A conversation within a project. */
export interface ThreadKey extends SessionKey {
  readonly thread_id: string;
}

export interface DatasetKey extends InWorkspace {
  readonly dataset_id: string;
}

export interface ExampleKeys extends InWorkspace {
  readonly example_ids: readonly string[];
}
