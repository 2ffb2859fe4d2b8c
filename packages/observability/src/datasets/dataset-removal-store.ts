import type { Database, Queryable } from '@roadstead/postgres';
import type { DatasetId } from '../dataset-records/dataset-row.ts';

/** Removes the rows that a deleted dataset leaves behind, in steps that each commit. */

const STEP = 1000;

export async function listDeletedDatasets(db: Queryable): Promise<DatasetId[]> {
  return db.query<DatasetId>('select workspace_id, id from traces.datasets where deleted_at is not null');
}

/** @returns how many states of examples this step removed. */
export async function removeSomeExamples(db: Queryable, { workspace_id, id }: DatasetId): Promise<number> {
  return db.run(
    `delete from traces.examples e using (
       select x.workspace_id, x.example_id, x.valid_from from traces.examples x
       join traces.datasets d on d.workspace_id = x.workspace_id and d.id = x.dataset_id and d.deleted_at is not null
       where x.workspace_id = $1 and x.dataset_id = $2 limit ${STEP}
     ) doomed where e.workspace_id = doomed.workspace_id and e.example_id = doomed.example_id
       and e.valid_from = doomed.valid_from`,
    [workspace_id, id],
  );
}

/** The tables with rows of a dataset, by the column that names it. Rules that name it stay, and fail. */
const belongings = {
  dataset_tags: 'dataset_id',
  dataset_versions: 'dataset_id',
  comparisons: 'reference_dataset_id',
  feedback_formulas: 'dataset_id',
};

/** The last step, once no example is left: removes the dataset. */
export async function removeDataset(db: Database, { workspace_id, id }: DatasetId): Promise<void> {
  const values = [workspace_id, id];
  await db.transaction(async (tx) => {
    for (const [table, column] of Object.entries(belongings))
      await tx.run(`delete from traces.${table} where workspace_id = $1 and ${column} = $2`, values);
    await tx.run(
      `delete from traces.shares where workspace_id = $1 and kind = 'dataset' and subject_id = $2`,
      values,
    );
    await tx.run(
      'delete from traces.datasets where workspace_id = $1 and id = $2 and deleted_at is not null',
      values,
    );
  });
}
