import { Problem } from '@roadstead/kit';
import {
  isUniqueViolation,
  type UnderLock,
  nowLocked,
  type Queryable,
  type Transaction,
} from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { DatasetId, DatasetRow, ListedDataset } from './dataset-row.ts';
import type { InWorkspace, RowDeletion } from '../values/keys.ts';
import type { OrderedPage } from '../values/pages.ts';

/** Datasets. A deleted one keeps its row until its examples are gone, but no query here finds it. */

const columns = `d.workspace_id, d.id, d.name, d.description, d.data_type, d.inputs_schema_definition,
  d.outputs_schema_definition, d.transformations, d.metadata, d.externally_managed, d.baseline_experiment_id,
  d.example_count, d.experiments_shared, ${instantText('d.created_at')} as created_at, ${instantText('d.modified_at')} as modified_at,
  ${instantText('d.latest_as_of')} as latest_as_of`;

/** Facts about the experiments of a dataset. */
const experiments = `cross join lateral (
  select count(*)::integer as session_count, max(e.start_time) as last_session_start_time from traces.sessions e
  where e.workspace_id = d.workspace_id and e.reference_dataset_id = d.id and e.deleted_at is null) s`;
const listed = `${columns}, s.session_count, ${instantText('s.last_session_start_time')} as last_session_start_time`;

const noSuchDataset = () => new Problem('not_found', 'There is no such dataset.');

/** @throws Problem `not_found`, also where it belongs to another workspace. */
export async function readDataset(db: Queryable, { workspace_id, id }: DatasetId): Promise<ListedDataset> {
  const row = await db.maybe<ListedDataset>(
    `select ${listed} from traces.datasets d ${experiments}
     where d.workspace_id = $1 and d.id = $2 and d.deleted_at is null`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuchDataset();
  return row;
}

/** Locks a dataset, so that changes of its examples wait for each other. @throws Problem `not_found`. */
export async function lockDataset(
  tx: Transaction,
  { workspace_id, id }: DatasetId,
): Promise<{ readonly locked: UnderLock<'dataset'>; readonly dataset: DatasetRow }> {
  const dataset = await tx.maybe<DatasetRow>(
    `select ${columns} from traces.datasets d
     where d.workspace_id = $1 and d.id = $2 and d.deleted_at is null for update`,
    [workspace_id, id],
  );
  if (dataset === undefined) throw noSuchDataset();
  return { locked: nowLocked(tx), dataset };
}

export type NewDataset = Omit<
  DatasetRow,
  'example_count' | 'modified_at' | 'latest_as_of' | 'baseline_experiment_id' | 'experiments_shared'
>;

/** A change in which an undefined field stays as it is. */
type PartialChange<T> = { readonly [K in keyof T]?: T[K] | undefined };

const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value));

/** @throws Problem `conflict` when the id or the name is taken. */
export async function insertDataset(db: Queryable, row: NewDataset): Promise<void> {
  try {
    await db.run(
      `insert into traces.datasets (workspace_id, id, name, description, data_type, inputs_schema_definition,
         outputs_schema_definition, transformations, metadata, externally_managed, created_at, modified_at)
       values ($1, $2, $3, $4, $5, $6::text::json, $7::text::json, $8::text::json, $9::text::jsonb, $10, $11, $11)`,
      [
        row.workspace_id,
        row.id,
        row.name,
        row.description,
        row.data_type,
        json(row.inputs_schema_definition),
        json(row.outputs_schema_definition),
        json(row.transformations),
        json(row.metadata),
        row.externally_managed,
        row.created_at,
      ],
    );
  } catch (error) {
    throw taken(error);
  }
}

export type DatasetChange = PartialChange<
  Pick<
    DatasetRow,
    | 'name'
    | 'description'
    | 'inputs_schema_definition'
    | 'outputs_schema_definition'
    | 'transformations'
    | 'metadata'
    | 'baseline_experiment_id'
  >
>;

const typeOfColumn: Readonly<Record<keyof DatasetChange, string>> = {
  name: 'text',
  description: 'text',
  inputs_schema_definition: 'text::json',
  outputs_schema_definition: 'text::json',
  transformations: 'text::json',
  metadata: 'text::jsonb',
  baseline_experiment_id: 'uuid',
};

/** An absent field stays as it is. @throws Problem `not_found`, or `conflict` when the name is taken. */
export async function updateDataset(
  db: Queryable,
  { workspace_id, id }: DatasetId,
  { change, now }: { readonly change: DatasetChange; readonly now: string },
): Promise<void> {
  const values: unknown[] = [workspace_id, id, now];
  const set = (Object.keys(typeOfColumn) as (keyof DatasetChange)[]).flatMap((name) => {
    const value = change[name];
    if (value === undefined) return [];
    values.push(typeof value === 'object' ? json(value) : value);
    return [`${name} = $${values.length}::${typeOfColumn[name]}`];
  });
  try {
    const updated = await db.run(
      `update traces.datasets set ${['modified_at = $3', ...set].join(', ')}
       where workspace_id = $1 and id = $2 and deleted_at is null`,
      values,
    );
    if (updated === 0) throw noSuchDataset();
  } catch (error) {
    throw taken(error);
  }
}

function taken(error: unknown): unknown {
  if (isUniqueViolation(error, 'datasets_name'))
    return new Problem('conflict', 'A dataset with this name already exists.', { cause: error });
  if (isUniqueViolation(error, 'datasets_pkey'))
    return new Problem('conflict', 'A dataset with this id already exists.', { cause: error });
  return error;
}

export async function setExperimentsShared(
  db: Queryable,
  { workspace_id, id, experiments_shared }: DatasetId & Pick<DatasetRow, 'experiments_shared'>,
): Promise<void> {
  await db.run('update traces.datasets set experiments_shared = $3 where workspace_id = $1 and id = $2', [
    workspace_id,
    id,
    experiments_shared,
  ]);
}

/**
 * Hides datasets from every reader at once; `dataset-removal-loop.ts` removes their examples afterwards.
 * @throws Problem `not_found` where one of them does not exist; then all of them stay.
 */
export async function markDatasetsDeleted(
  tx: Transaction,
  { workspace_id, ids, now }: RowDeletion,
): Promise<void> {
  const distinct = [...new Set(ids.map((id) => id.toLowerCase()))];
  const marked = await tx.run(
    `update traces.datasets set deleted_at = $3
     where workspace_id = $1 and id = any ($2::uuid[]) and deleted_at is null`,
    [workspace_id, distinct, now],
  );
  if (marked < distinct.length) throw noSuchDataset();
}

export interface DatasetFilter {
  readonly ids?: readonly string[] | undefined;
  readonly data_types?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly name_contains?: string | undefined;
  /** Members that the metadata must contain. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

const sortedBy = {
  name: 'd.name collate "C"',
  created_at: 'd.created_at',
  modified_at: 'd.modified_at',
  example_count: 'd.example_count',
  session_count: 's.session_count',
  last_session_start_time: 's.last_session_start_time',
} as const;
type DatasetSort = keyof typeof sortedBy;

export interface DatasetOrder extends OrderedPage {
  readonly sort_by: DatasetSort;
}

/** A page of the datasets that match. */
export async function listDatasets(
  db: Queryable,
  { workspace_id, ...filter }: DatasetFilter & InWorkspace,
  { sort_by, descending, offset, limit }: DatasetOrder,
): Promise<ListedDataset[]> {
  const values: unknown[] = [workspace_id];
  const conditions = ['d.workspace_id = $1', 'd.deleted_at is null'];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  add((p) => `d.id = any (${p}::uuid[])`, filter.ids);
  add((p) => `d.data_type = any (${p}::text[])`, filter.data_types);
  add((p) => `d.name = ${p}`, filter.name);
  add(
    (p) => `d.name ilike ${p}`,
    filter.name_contains && `%${filter.name_contains.replaceAll(/[%_\\]/g, String.raw`\$&`)}%`,
  );
  add((p) => `d.metadata @> ${p}::text::jsonb`, filter.metadata && JSON.stringify(filter.metadata));
  const direction = descending ? 'desc' : 'asc';
  return db.query<ListedDataset>(
    `select ${listed} from traces.datasets d ${experiments} where ${conditions.join(' and ')}
     order by ${sortedBy[sort_by]} ${direction} nulls last, d.created_at ${direction}, d.id ${direction} limit ${limit} offset ${offset}`,
    values,
  );
}
