import { open, opendir } from 'node:fs/promises';
import { join } from 'node:path';

const AT_ONCE = 16;

/** Makes a file, or the names in a folder, survive a power cut. */
export async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

/** The same for everything below a folder, and for it. */
export async function syncTree(folder: string): Promise<void> {
  const paths = pathsBelow(folder);
  const work = async () => {
    for await (const path of paths) await syncPath(path);
  };
  // They share the one listing: each path goes to whoever asks next.
  await Promise.all(Array.from({ length: AT_ONCE }, () => work()));
  await syncPath(folder);
}

/** Files and folders, without holding more than one folder of each depth: there may be millions. */
async function* pathsBelow(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder, { bufferSize: 256 })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* pathsBelow(path);
    if (entry.isFile() || entry.isDirectory()) yield path;
  }
}
