import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Problem } from '../problem.ts';
import { type Blobs, isDigest, type StoredBlob } from './blobs.ts';

/** Blobs in a folder, two levels deep. A blob appears whole or not at all. */
export async function openFolderBlobs(folder: string): Promise<Blobs> {
  const incoming = join(folder, 'incoming');
  // What a killed process was still receiving is of no use to anybody.
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const pathOf = (digest: string) => join(folder, digest.slice(7, 9), digest.slice(7));
  return {
    put: async (bytes, { max_bytes }) => {
      const partial = join(incoming, randomUUID());
      try {
        const stored = await receive(bytes, partial, max_bytes);
        await mkdir(join(folder, stored.digest.slice(7, 9)), { recursive: true, mode: 0o700 });
        await rename(partial, pathOf(stored.digest));
        return stored;
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    get: async (digest) => {
      if (!isDigest(digest)) return undefined;
      const found = await stat(pathOf(digest)).catch(() => undefined);
      if (found === undefined) return undefined;
      return {
        size: found.size,
        stream: Readable.toWeb(createReadStream(pathOf(digest))) as ReadableStream<Uint8Array>,
      };
    },
    delete: async (digest) => {
      if (isDigest(digest)) await rm(pathOf(digest), { force: true });
    },
  };
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
