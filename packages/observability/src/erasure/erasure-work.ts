import type { Erasure, Holdings } from '@roadstead/contracts';
import { listTablesWithRows, sweepWorkspace } from '@roadstead/service';
import { type BlobContext, removeReleasedBlobs } from '../attachments/blob-removal-work.ts';
import { deleteCalls, listHeld, releaseBlobs } from './erasure-store.ts';

const SCHEMA = 'traces';

/** The holdings that prevent the deletion of a workspace, unless it is forced. */
export async function readHoldings({ db }: Pick<BlobContext, 'db'>, workspace_id: string): Promise<Holdings> {
  const held = Map.groupBy(await listHeld(db, workspace_id), ({ kind }) => kind);
  return {
    items: [...held].map(([kind, rows]) => ({
      kind,
      count: rows[0]?.count ?? 0,
      names: rows.map(({ name }) => name),
      must_go: false,
    })),
  };
}

/** Erases every row, and the blobs that only these rows named. It can be interrupted at any moment and begun again. */
export async function eraseWorkspace({ db, blobs }: BlobContext, workspace_id: string): Promise<Erasure> {
  await releaseBlobs(db, workspace_id);
  await deleteCalls(db, workspace_id);
  await sweepWorkspace(db, { schema: SCHEMA, workspace_id });
  while (await removeReleasedBlobs({ db, blobs }));
  const left = await listTablesWithRows(db, { schema: SCHEMA, workspace_id });
  return { is_done: left.length === 0, left };
}
