import { type Database, type Log, Loop, settled } from '@roadstead/kit';
import type { DatasetId } from './dataset-row.ts';
import { listDeletedDatasets, removeDataset, removeSomeExamples } from './dataset-removal-store.ts';

/** Removes the examples of deleted datasets. A key is `workspace_id/dataset_id`. */
export function datasetRemovalLoop(db: Database, log: Log): Loop {
  return new Loop({
    name: 'dataset removal',
    log,
    concurrency: 1,
    resync_ms: 60_000,
    list: async () => (await listDeletedDatasets(db)).map(datasetKey),
    reconcile: async (key, signal) => {
      const [workspace_id = '', id = ''] = key.split('/');
      const dataset = { workspace_id, id };
      while ((await removeSomeExamples(db, dataset)) > 0) if (signal.aborted) return settled;
      await removeDataset(db, dataset);
      return settled;
    },
  });
}

export const datasetKey = ({ workspace_id, id }: DatasetId): string => `${workspace_id}/${id}`;
