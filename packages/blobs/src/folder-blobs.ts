import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { syncPath } from '@roadstead/kit';
import { type Blobs, isDigest, placeOf, type StoredBlob } from './blobs.ts';
import { DigestedBytes } from './digested-bytes.ts';

/** Blobs in a folder, two levels deep. A blob appears whole or not at all, and survives a power cut once it is stored. */
export async function openFolderBlobs(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming');
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const pathOf = (digest: string) => join(folder, placeOf(digest));
  return {
    put: async (bytes, { max_bytes }) => {
      const partial = join(incoming, randomUUID());
      try {
        const stored = await receive(new DigestedBytes(bytes, max_bytes), partial);
        const shelf = join(folder, stored.digest.slice(7, 9));
        const made = await mkdir(shelf, { recursive: true, mode: 0o700 });
        await rename(partial, pathOf(stored.digest));
        await syncPath(shelf);
        if (made !== undefined) await syncPath(folder);
        return stored;
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    get: async (digest, range) => {
      if (!isDigest(digest)) return undefined;
      // What is open can be read to its end, whoever removes it meanwhile.
      const file = await open(pathOf(digest)).catch(absent);
      if (file === undefined) return undefined;
      const { size } = await file.stat().catch(async (error: unknown) => {
        await file.close();
        throw error;
      });
      const stream = file.createReadStream(range && { start: range.first, end: range.last });
      return { size, stream: Readable.toWeb(stream) as ReadableStream<Uint8Array> };
    },
    has: async (digest) =>
      isDigest(digest) && (await stat(pathOf(digest)).catch(() => undefined)) !== undefined,
    delete: async (digest) => {
      if (isDigest(digest)) await rm(pathOf(digest), { force: true });
    },
    list: () => listFolder(folder, pathOf),
    removeAbandoned: () => removeAbandoned(incoming),
    // Nobody but us reaches the folder.
    address: async () => undefined,
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** A file that nobody has written to for this long is not being received by another instance. */
const ABANDONED_MS = 3_600_000;

async function removeAbandoned(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
  }
}

async function* listFolder(folder: string, pathOf: (digest: string) => string) {
  for (const shelf of await readdir(folder)) {
    if (!/^[0-9a-f]{2}$/.test(shelf)) continue;
    for (const name of await readdir(join(folder, shelf))) {
      const digest = `sha256:${name}`;
      const found = isDigest(digest) ? await stat(pathOf(digest)).catch(() => undefined) : undefined;
      if (found !== undefined) yield { digest, put_at_ms: found.mtimeMs };
    }
  }
}

async function receive(bytes: DigestedBytes, path: string): Promise<StoredBlob> {
  await using file = await open(path, 'wx', 0o600);
  for await (const chunk of bytes) await file.writeFile(chunk);
  await file.sync();
  return bytes.stored();
}
