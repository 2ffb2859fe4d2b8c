import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type ReadEntry } from 'tar';
import { Problem } from '@roadstead/kit/client';
import {
  entryRefusal,
  hasTooMuchOverhead,
  isCompressed,
  type Seen,
  tooMuchOverhead,
  type UnpackLimits,
  unreadable,
} from './unpack-rules.ts';

const sourceLimits: UnpackLimits = { entries: 50_000, bytes: 2_000_000_000 };

/** Whoever packed: what is unpacked is ours, and any build of ours can read it. */
const asOurs = { preservePaths: false, preserveOwner: false, noMtime: true, strict: true } as const;

interface Options {
  readonly limits?: UnpackLimits;
  readonly signal?: AbortSignal;
}

/**
 * Unpacks a gzip tar into an existing folder. Refuses, before anything of it is written, an entry that would leave the
 * folder, a link, a device, a damaged header, and more than the limits; nothing more is read then.
 * @throws Problem that names the entry.
 */
export async function unpackSource(
  archive: string,
  folder: string,
  { limits = sourceLimits, signal }: Options = {},
): Promise<void> {
  const seen: Seen = { entries: 0, announced: 0, read: 0, last: undefined };
  const refused = new AbortController();
  const refuse = (problem: Problem | undefined) => {
    if (problem !== undefined) refused.abort(problem);
  };
  const unpack = extract({
    ...asOurs,
    cwd: folder,
    filter: (path, entry) => {
      const { type, size } = entry as ReadEntry;
      seen.entries += 1;
      seen.announced += size;
      seen.last = path;
      refuse(entryRefusal({ path, type }, { seen, limits }));
      return !refused.signal.aborted;
    },
  });
  // A header of more than node-tar reads.
  unpack.on('ignoredEntry', (entry: ReadEntry) => refuse(entry.meta ? tooMuchOverhead() : undefined));
  const until = AbortSignal.any([refused.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    const meter = (chunks: AsyncIterable<Buffer>) => metered(chunks, seen);
    await pipeline(createReadStream(archive), createGunzip(), meter, unpack, { signal: until });
  } catch (error) {
    until.throwIfAborted();
    throw error instanceof Problem ? error : (unreadable(error, seen) ?? error);
  }
  until.throwIfAborted();
  if (seen.entries === 0) throw new Problem('invalid', 'The source archive is empty.');
}

async function* metered(chunks: AsyncIterable<Buffer>, seen: Seen): AsyncGenerator<Buffer> {
  for await (const chunk of wholeBlockFirst(chunks)) {
    if (seen.read === 0 && isCompressed(chunk))
      throw new Problem('invalid', 'The source archive is compressed twice.');
    seen.read += chunk.length;
    if (hasTooMuchOverhead(seen)) throw tooMuchOverhead();
    yield chunk;
  }
}

/** The first chunk holds at least one block, as far as there is one: its beginning shows the format. */
async function* wholeBlockFirst(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (start !== undefined) start = Buffer.concat([start, chunk]);
    if (start !== undefined && start.length < 512) continue;
    yield start ?? chunk;
    start = undefined;
  }
  if (start !== undefined) yield start;
}

/**
 * Unpacks an artifact that we packed ourselves: links of package managers are part of it, and stay inside.
 * @throws Problem where it can't be unpacked: the same bytes never will be.
 */
export async function unpackArtifact(
  archive: string,
  folder: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const unpack = extract({ ...asOurs, cwd: folder });
  await pipeline(createReadStream(archive), createGunzip(), unpack, { signal }).catch((cause: unknown) => {
    if ((cause as { tarCode?: unknown }).tarCode === undefined) throw cause;
    throw new Problem('invalid', 'The artifact can not be unpacked.', { cause, code: 'artifact_unreadable' });
  });
}
