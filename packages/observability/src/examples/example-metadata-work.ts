import { malformed } from '@roadstead/kit';
import { lockDataset } from '../datasets/dataset-store.ts';
import { insertVersion } from '../datasets/dataset-version-store.ts';
import { columnJson } from '../ingest/column-text-rules.ts';
import type { ExampleContext } from './example-context.ts';
import { readCurrentMetadata } from './example-store.ts';
import { closeExamples, copyAttachments, insertChangedExamples } from './example-write-store.ts';
import { changedMetadata, type MetadataOperation } from './metadata-operation-rules.ts';

/** Changes the metadata of many examples of a dataset, their splits among it, as one version. */

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
  }: {
    readonly workspace_id: string;
    readonly id: string;
    readonly example_ids: readonly string[];
    readonly operations: readonly MetadataOperation[];
  },
): Promise<MetadataStatus[]> {
  const clean = operations.map((one) => ({ ...one, value: columnJson(one.value, 'operations') }));
  return db.transaction(async (tx) => {
    const { locked, dataset } = await lockDataset(tx, { workspace_id, id });
    const ids = [...new Set(example_ids.map((one) => one.toLowerCase()))];
    const present = await readCurrentMetadata(tx, { workspace_id, id: dataset.id, example_ids: ids });
    const rows = [...present].flatMap(([example_id, metadata]) => {
      const changed = changedMetadata(metadata, clean);
      if (JSON.stringify(changed) === JSON.stringify(metadata)) return [];
      return [
        {
          example_id,
          metadata: JSON.stringify(changed),
          splits: splitsOf(changed),
          inputs: undefined,
          outputs: undefined,
        },
      ];
    });
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

function splitsOf({ dataset_split }: Readonly<Record<string, unknown>>): string[] | undefined {
  if (dataset_split === undefined) return undefined;
  const splits = typeof dataset_split === 'string' ? [dataset_split] : dataset_split;
  if (!Array.isArray(splits) || !splits.every((one) => typeof one === 'string'))
    throw malformed(['body', 'operations'], 'must leave dataset_split a list of names');
  return splits;
}
