import type { Context } from '../context/context.ts';
import { removeOldUploads, removeUnusedImages, removeUnusedLayers } from './image-removal-store.ts';

/** Removes what nobody needs any more of the registry; the bytes go with what names no blob. */
export async function removeOldImages({ db, images }: Pick<Context, 'db' | 'images'>): Promise<void> {
  await removeOldUploads(db);
  await removeUnusedImages(db, images.kept_days);
  await removeUnusedLayers(db, images.kept_days);
}
