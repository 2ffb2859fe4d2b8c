import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { lockImagesOf, readImageBytes } from './repository-store.ts';

/** What the images of a workspace may take on the disk. */

/** Passes bytes on as long as they fit into what is left when they begin. */
export async function* withinRoom(
  { db, images }: Pick<Context, 'db' | 'images'>,
  { workspace_id, bytes }: { readonly workspace_id: string; readonly bytes: AsyncIterable<Uint8Array> },
): AsyncGenerator<Uint8Array> {
  let left = images.max_bytes - (await readImageBytes(db, workspace_id));
  for await (const chunk of bytes) {
    left -= chunk.length;
    if (left < 0) throw noRoom(images.max_bytes);
    yield chunk;
  }
}

/** Writes what adds to the images of a workspace, one at a time. @throws Problem `forbidden` where it does not fit */
export async function addWithinRoom(
  tx: Transaction,
  { images }: Pick<Context, 'images'>,
  { workspace_id, add }: { readonly workspace_id: string; readonly add: () => Promise<void> },
): Promise<void> {
  await lockImagesOf(tx, workspace_id);
  await add();
  if ((await readImageBytes(tx, workspace_id)) > images.max_bytes) throw noRoom(images.max_bytes);
}

const GB = 1_000_000_000;

const noRoom = (max_bytes: number) =>
  new Problem('forbidden', `The images of this workspace may take ${max_bytes / GB} GB, which are used up.`, {
    code: 'DENIED',
    hint: 'Delete images or deployments that are not used, or have the operator raise ROADSTEAD_IMAGES_GB.',
  });
