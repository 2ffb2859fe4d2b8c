import { Problem } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { type BlobContext, removeUnnamedBlobs } from '../attachments/blob-removal-work.ts';
import { lockDataset } from '../dataset-records/dataset-store.ts';
import { insertVersion } from '../dataset-records/dataset-version-store.ts';
import { blankExamples, closeExamples, countCurrent, findAllDatasetsOf } from './example-write-store.ts';
import type { ExampleKeys } from '../values/keys.ts';

/** Deletes examples, from the newest version on or from all versions. */

export interface ExampleDeletion extends ExampleKeys {
  /** Only in this dataset. */
  readonly dataset_id?: string | undefined;
  readonly now: string;
}

/**
 * Deletes examples as a new version; older versions still have them. Examples that were deleted already stay deleted.
 * @throws Problem `not_found` where one of them never existed; then no example is deleted.
 */
export async function deleteExamples(db: Database, doomed: ExampleDeletion): Promise<readonly string[]> {
  return db.transaction((tx) => closeAll(tx, doomed));
}

/** Deletes examples from older versions, too, and the bytes of their files unless something else names them. */
export async function deleteExamplesForGood(
  context: BlobContext,
  doomed: ExampleDeletion,
): Promise<readonly string[]> {
  const { example_ids, digests } = await context.db.transaction(async (tx) => {
    const ids = await closeAll(tx, doomed);
    return { example_ids: ids, digests: await blankExamples(tx, { ...doomed, example_ids: ids }) };
  });
  await removeUnnamedBlobs(context, digests);
  return example_ids;
}

async function closeAll(
  tx: Transaction,
  { workspace_id, example_ids, dataset_id, now }: ExampleDeletion,
): Promise<string[]> {
  const distinct = [...new Set(example_ids.map((id) => id.toLowerCase()))];
  const found = await findAllDatasetsOf(tx, { workspace_id, example_ids: distinct, dataset_id });
  if (new Set(found.flatMap((one) => one.example_ids)).size < distinct.length)
    throw new Problem('not_found', 'There is no such example.');
  for (const { id, example_ids: there } of found) {
    const { locked, dataset } = await lockDataset(tx, { workspace_id, id });
    const present = await countCurrent(tx, { workspace_id, id, example_ids: there });
    if (present === 0) continue;
    const as_of = await insertVersion(locked, dataset, { now, example_change: -present });
    await closeExamples(locked, { dataset, as_of, example_ids: there });
  }
  return distinct;
}
