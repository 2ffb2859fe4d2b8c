import { malformed, TimeSlice } from '@roadstead/kit';
import { lockDataset } from '../dataset-records/dataset-store.ts';
import { insertVersion } from '../dataset-records/dataset-version-store.ts';
import type { ExampleContext } from './example-context.ts';
import { readCurrentMetadata, writtenAsStored } from './example-store.ts';
import {
  closeExamples,
  copyAttachments,
  type ExampleChange,
  insertChangedExamples,
} from './example-write-store.ts';
import {
  changedMetadata,
  type Metadata,
  type MetadataOperation,
  metadataText,
  SPLITS,
} from './metadata-operation-rules.ts';
import type { ExampleKeys } from '../values/keys.ts';
import type { DatasetId } from '../dataset-records/dataset-row.ts';

/** Changes the metadata of many examples of a dataset, including their splits, as one version. */

export interface MetadataStatus {
  readonly id: string;
  readonly status: 'UPDATED' | 'NOT_FOUND';
  readonly description?: string;
}

/** @throws Problem `not_found` without the dataset. */
export async function changeMetadata(
  { db, now }: ExampleContext,
  {
    workspace_id,
    id,
    example_ids,
    operations,
  }: DatasetId & ExampleKeys & { readonly operations: readonly MetadataOperation[] },
): Promise<MetadataStatus[]> {
  return db.transaction(async (tx) => {
    const { locked, dataset } = await lockDataset(tx, { workspace_id, id });
    const ids = [...new Set(example_ids.map((one) => one.toLowerCase()))];
    const present = await readCurrentMetadata(tx, { workspace_id, id: dataset.id, example_ids: ids });
    const texts = await writtenAsStored(
      tx,
      operations.map(({ value }) => value),
    );
    const written = operations.map((one, index) => ({ ...one, value: texts[index] }));
    const rows = await changedRows(present, written);
    if (rows.length > 0) {
      const version = {
        dataset,
        as_of: await insertVersion(locked, dataset, { now: now(), example_change: 0 }),
      };
      const changed_ids = rows.map(({ example_id }) => example_id);
      await closeExamples(locked, { ...version, example_ids: changed_ids });
      await insertChangedExamples(locked, { ...version, rows });
      await copyAttachments(locked, { ...version, example_ids: changed_ids });
    }
    return example_ids.map((one) =>
      present.has(one.toLowerCase())
        ? { id: one, status: 'UPDATED' as const }
        : { id: one, status: 'NOT_FOUND' as const, description: 'The dataset has no such example.' },
    );
  });
}

async function changedRows(
  present: ReadonlyMap<string, Metadata>,
  operations: readonly MetadataOperation[],
): Promise<ExampleChange[]> {
  const slice = new TimeSlice();
  const rows: ExampleChange[] = [];
  for (const [example_id, before] of present) {
    const after = changedMetadata(before, operations);
    const metadata = metadataText(after);
    if (metadata !== metadataText(before))
      rows.push({ example_id, metadata, splits: splitsOf(after), inputs: undefined, outputs: undefined });
    if (slice.isOver()) await slice.next();
  }
  return rows;
}

function splitsOf(metadata: Metadata): string[] | undefined {
  const sent = metadata.get(SPLITS);
  if (sent === undefined) return undefined;
  const value = JSON.parse(sent) as unknown;
  const splits = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(splits) || !splits.every((one) => typeof one === 'string'))
    throw malformed(['body', 'operations'], 'must keep dataset_split a list of names');
  return splits;
}
