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
    await removeUnusedLayers(db, images.kept_days);
  } catch (error) {
    // All else that is old goes nevertheless.
    log.error('old images could not be removed', { error });
  }
}

/** Counts what images take anew, once the bytes of what was removed are gone. */
export async function recountRooms({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  try {
    for (const workspace_id of await listRooms(db))
      await db.transaction((tx) => recountRoom(tx, workspace_id));
  } catch (error) {
    log.error('the room of images could not be counted', { error });
  }
}
