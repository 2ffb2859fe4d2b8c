/** A dataset as its row in SQL. Instants are ISO text with microseconds. */
export interface DatasetRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly data_type: string;
  readonly inputs_schema_definition: Readonly<Record<string, unknown>> | null;
  readonly outputs_schema_definition: Readonly<Record<string, unknown>> | null;
  readonly transformations: readonly Transformation[] | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly externally_managed: boolean;
  readonly baseline_experiment_id: string | null;
  readonly example_count: number;
  readonly created_at: string;
  readonly modified_at: string;
  /** The newest version; null before the first example. */
  readonly latest_as_of: string | null;
  /** Whether the link to it leads to its experiments, too. */
  readonly experiments_shared: boolean;
}

/** A transformation of each example before it is stored. */
interface Transformation {
  readonly path: readonly string[];
  readonly transformation_type: string;
}

export type DatasetId = Pick<DatasetRow, 'workspace_id' | 'id'>;

/** A dataset with facts about its experiments. */
export interface ListedDataset extends DatasetRow {
  readonly session_count: number;
  readonly last_session_start_time: string | null;
}
