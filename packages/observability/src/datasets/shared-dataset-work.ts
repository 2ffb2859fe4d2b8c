import { Problem } from '@roadstead/kit';
import { listSessions } from '../session-records/session-store.ts';
import type { SessionRow } from '../session-records/session-row.ts';
import type { ShareKind } from '../shares/share-token.ts';
import { readShare, type SharingContext } from '../shares/share-work.ts';
import type { ListedDataset } from '../dataset-records/dataset-row.ts';
import { readDataset } from '../dataset-records/dataset-store.ts';
import type { DatasetKey } from '../values/keys.ts';

/** Reads of a dataset through its link. */

/** @throws Problem `forbidden` where sharing is off, `not_found` where nothing is shared by the token. */
export async function readSharedDataset(sharing: SharingContext, token: string): Promise<ListedDataset> {
  const { workspace_id, subject } = await readShare<ShareKind>(sharing, { token, kinds: ['dataset'] });
  return readDataset(sharing.db, { workspace_id, id: subject.subject_id });
}

/** @throws Problem also where the dataset is shared without its experiments. */
export async function readSharedExperiments(sharing: SharingContext, token: string): Promise<DatasetKey> {
  const { workspace_id, id, experiments_shared } = await readSharedDataset(sharing, token);
  if (!experiments_shared) throw new Problem('not_found', 'The dataset is shared without its experiments.');
  return { workspace_id, dataset_id: id };
}

const MAX_EXPERIMENTS = 1000;

/** The newest experiments of a shared dataset; an empty list where they are not shared with it. */
export async function listSharedExperiments(sharing: SharingContext, token: string): Promise<SessionRow[]> {
  const { workspace_id, id, experiments_shared } = await readSharedDataset(sharing, token);
  if (!experiments_shared) return [];
  const order = { sort_by: 'start_time', descending: true, offset: 0, limit: MAX_EXPERIMENTS } as const;
  return listSessions(sharing.db, { workspace_id, reference_datasets: [id] }, order);
}

/** The experiments that are asked for, or all where the query names none. */
export function among(
  experiments: readonly { readonly id: string }[],
  asked: readonly string[] = [],
): string[] {
  const wanted = new Set(asked.map((id) => id.toLowerCase()));
  return experiments.map(({ id }) => id).filter((id) => wanted.size === 0 || wanted.has(id));
}
