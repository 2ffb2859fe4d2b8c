import { open, opendir } from 'node:fs/promises';
import { join } from 'node:path';

const AT_ONCE = 16;

/** Makes a file, or the names in a folder, survive a power cut. */
export async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

/** Syncs a folder and everything below it. */
export async function syncTree(folder: string): Promise<void> {
  const paths = pathsBelow(folder);
  const work = async () => {
    for await (const path of paths) await syncPath(path);
  };
  // All workers share one listing: each path goes to the worker that asks next.
  await Promise.all(Array.from({ length: AT_ONCE }, () => work()));
  await syncPath(folder);
}

/** Lists files and folders while holding only one folder of each depth: there may be millions. */
async function* pathsBelow(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder, { bufferSize: 256 })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* pathsBelow(path);
    if (entry.isFile() || entry.isDirectory()) yield path;
  }
}
