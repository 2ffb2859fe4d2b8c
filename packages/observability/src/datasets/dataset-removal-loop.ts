import { again, type Bound, type Log, Loop, settled } from '@roadstead/kit';
import { type Database, whileClaimed } from '@roadstead/postgres';
import type { DatasetId } from '../dataset-records/dataset-row.ts';
import { listDeletedDatasets, removeDataset, removeSomeExamples } from './dataset-removal-store.ts';

/** The pause while another instance works on the same dataset. */
const ELSEWHERE_MS = 1000;

/** One step at a time: workspaces take turns, also while a large one needs many steps. */
const datasetRemovalBound: Bound<string> = { size: 1, owner: (key) => key.split('/', 1) };

/** Removes the examples of deleted datasets. A key is `workspace_id/dataset_id`. */
export function datasetRemovalLoop(db: Database, log: Log): Loop {
  return new Loop({
    name: 'dataset removal',
    log,
    concurrency: datasetRemovalBound.size,
    owner: datasetRemovalBound.owner,
    resync_ms: 60_000,
    list: async () => (await listDeletedDatasets(db)).map(datasetKey),
    reconcile: async (key) => {
      const [workspace_id = '', id = ''] = key.split('/');
      const dataset = { workspace_id, id };
      let isMore = false;
      const done = await whileClaimed(db, `dataset removal ${key}`, {
        work: async () => {
          isMore = (await removeSomeExamples(db, dataset)) > 0;
          if (!isMore) await removeDataset(db, dataset);
        },
      });
      if (!done) return again(ELSEWHERE_MS);
      return isMore ? again(0) : settled;
    },
  });
}

export const datasetKey = ({ workspace_id, id }: DatasetId): string => `${workspace_id}/${id}`;
