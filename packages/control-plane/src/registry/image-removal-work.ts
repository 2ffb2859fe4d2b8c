import type { Context } from '../context/context.ts';
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
