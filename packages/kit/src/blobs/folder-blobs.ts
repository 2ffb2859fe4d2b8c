import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Problem } from '../problems/problem.ts';
import { type Blobs, isDigest, type StoredBlob } from './blobs.ts';
import { syncPath } from './sync.ts';

/** Blobs in a folder, two levels deep. A blob appears whole or not at all, and survives a power cut once it is stored. */
export async function openFolderBlobs(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming');
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  await removeAbandoned(incoming);
  const pathOf = (digest: string) => join(folder, digest.slice(7, 9), digest.slice(7));
  return {
    put: async (bytes, { max_bytes }) => {
      const partial = join(incoming, randomUUID());
      try {
        const stored = await receive(bytes, partial, max_bytes);
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
      const found = await stat(pathOf(digest)).catch(() => undefined);
      if (found === undefined) return undefined;
      return {
        size: found.size,
        stream: Readable.toWeb(
          createReadStream(pathOf(digest), range && { start: range.first, end: range.last }),
        ) as ReadableStream<Uint8Array>,
      };
    },
    has: async (digest) =>
      isDigest(digest) && (await stat(pathOf(digest)).catch(() => undefined)) !== undefined,
    delete: async (digest) => {
      if (isDigest(digest)) await rm(pathOf(digest), { force: true });
    },
    list: () => listFolder(folder, pathOf),
  };
}

/** A file that nobody has written to for this long is not being received by another instance. */
const ABANDONED_MS = 3_600_000;

/** Removes what a killed process was still receiving: nobody can use it. */
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

async function receive(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  max_bytes: number,
): Promise<StoredBlob> {
  const hash = createHash('sha256');
  let size = 0;
  await using file = await open(path, 'wx', 0o600);
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > max_bytes)
      throw new Problem('too_large', `The body is larger than the ${max_bytes} bytes that are allowed here.`);
    hash.update(chunk);
    await file.writeFile(chunk);
  }
  await file.sync();
  return { digest: `sha256:${hash.digest('hex')}`, size };
}
