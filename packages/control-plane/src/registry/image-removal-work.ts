import type { Context } from '../context/context.ts';
import { listRooms, recountRoom } from './room-store.ts';
import { removeOldUploads, removeUnusedImages, removeUnusedLayers } from './image-removal-store.ts';

/** Removes what nobody needs any more of the registry; the bytes go with what names no blob. */
export async function removeOldImages({
  db,
  images,
  log,
}: Pick<Context, 'db' | 'images' | 'log'>): Promise<void> {
  try {
    await removeOldUploads(db);
    await removeUnusedImages(db, images.kept_days);
    await removeUnusedLayers(db);
  } catch (error) {
    // All else that is old goes nevertheless.
    log.error('old images could not be removed', { error });
  }
}

/** Counts what images take anew, once the bytes of what was removed are gone. */
export async function recountRooms({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  const count = async (workspace_id: string) => {
    try {
      await db.transaction((tx) => recountRoom(tx, workspace_id));
    } catch (error) {
      // The others are counted nevertheless.
      log.error('the room of images could not be counted', { workspace_id, error });
    }
  };
  for (const workspace_id of await listRooms(db)) await count(workspace_id);
}
