import { createReadStream } from 'node:fs';
import { lstat, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type ReadEntry, type Unpack } from 'tar';
import { Problem } from '@roadstead/kit';
import { firstLinkOut } from './links.ts';
import {
  entryRefusal,
  hasTooMuchOverhead,
  holdsNothing,
  isCompressed,
  isFile,
  linkOut,
  type UnpackProgress,
  tooMuchOverhead,
  type UnpackLimits,
  unmakeable,
  unreadable,
} from './unpack-rules.ts';

const sourceLimits: UnpackLimits = { entries: 50_000, bytes: 2_000_000_000 };

/** No matter who packed it, the unpacked files are ours, and any build of ours can read them. */
const asOurs = { preservePaths: false, preserveOwner: false, noMtime: true, strict: true } as const;

interface Options {
  readonly limits?: UnpackLimits;
  readonly signal?: AbortSignal;
}

/**
 * Unpacks a gzip tar into an existing folder. Refuses an entry that would leave the folder, a hard link, a device, a
 * damaged header, and more than the limits, each before anything of it is written; then it stops reading.
 * @throws Problem that names the entry.
 */
export async function unpackSource(
  archive: string,
  folder: string,
  { limits = sourceLimits, signal }: Options = {},
): Promise<void> {
  const seen: UnpackProgress = { entries: 0, files: 0, announced: 0, read: 0, last: undefined };
  const links: Link[] = [];
  const refused = new AbortController();
  const refuse = (problem: Problem | undefined) => {
    if (problem !== undefined) refused.abort(problem);
  };
  const unpack = extract({
    ...asOurs,
    cwd: folder,
    filter: (path, entry) => {
      const { type, size, linkpath } = entry as ReadEntry;
      seen.entries += 1;
      if (isFile(type)) seen.files += 1;
      seen.announced += size;
      seen.last = path;
      refuse(entryRefusal({ path, type, linkpath }, { seen, limits }));
      if (type === 'SymbolicLink') links.push({ path, linkpath: linkpath ?? '' });
      return !refused.signal.aborted && type !== 'SymbolicLink';
    },
  });
  // node-tar skips headers that are longer than it reads, and entries of types that it does not know.
  unpack.on('ignoredEntry', (entry: ReadEntry) =>
    refuse(entry.meta ? tooMuchOverhead() : entryRefusal(entry, { seen, limits })),
  );
  const until = AbortSignal.any([refused.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    const meter = (chunks: AsyncIterable<Buffer>) => metered(chunks, seen);
    await pipeline(createReadStream(archive), createGunzip(), meter, writableOf(unpack), { signal: until });
  } catch (error) {
    until.throwIfAborted();
    throw error instanceof Problem ? error : (unreadable(error, seen) ?? error);
  }
  until.throwIfAborted();
  const nothing = holdsNothing(seen);
  if (nothing !== undefined) throw nothing;
  await makeLinks(folder, { links, signal });
}

interface Link {
  readonly path: string;
  readonly linkpath: string;
}

/** Creates links once all files are there, so that nothing is written through a link. */
async function makeLinks(
  folder: string,
  { links, signal }: { readonly links: readonly Link[]; readonly signal: AbortSignal | undefined },
): Promise<void> {
  for (const { path, linkpath } of links) {
    signal?.throwIfAborted();
    await makeLink(folder, { path, linkpath }).catch((error: unknown) => {
      throw unmakeable(error, path) ?? error;
    });
  }
  const out = await firstLinkOut(folder, { links: links.map(({ path }) => path), signal });
  if (out !== undefined) throw linkOut(out);
}

async function makeLink(folder: string, { path, linkpath }: Link): Promise<void> {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  let at = folder;
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    await mkdir(at).catch(() => undefined);
    if (!(await lstat(at)).isDirectory())
      throw Object.assign(new Error('a link or file is in the way'), { code: 'ENOTDIR' });
  }
  await symlink(linkpath, join(at, parts.at(-1) ?? ''));
}

/**
 * Wraps the unpacker, which only resembles a stream of Node's: a pipeline that ends in it directly waits forever if a
 * folder comes last, and its signal does not end it.
 */
function writableOf(unpack: Unpack): Writable {
  const writable = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (unpack.write(chunk)) done();
      else unpack.once('drain', done);
    },
    final: (done) => {
      unpack.once('end', done);
      unpack.end();
    },
  });
  unpack.on('error', (error: Error) => writable.destroy(error));
  return writable;
}

async function* metered(chunks: AsyncIterable<Buffer>, seen: UnpackProgress): AsyncGenerator<Buffer> {
  for await (const chunk of wholeBlockFirst(chunks)) {
    if (seen.read === 0 && isCompressed(chunk))
      throw new Problem('invalid', 'The source archive is compressed twice.');
    seen.read += chunk.length;
    if (hasTooMuchOverhead(seen)) throw tooMuchOverhead();
    yield chunk;
  }
}

/** The first chunk holds at least one block, if there is one: its beginning shows the format. */
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
  const unpack = writableOf(extract({ ...asOurs, cwd: folder }));
  await pipeline(createReadStream(archive), createGunzip(), unpack, { signal }).catch((cause: unknown) => {
    if ((cause as { tarCode?: unknown }).tarCode === undefined) throw cause;
    throw new Problem('invalid', 'The artifact can not be unpacked.', { cause, code: 'artifact_unreadable' });
  });
}
