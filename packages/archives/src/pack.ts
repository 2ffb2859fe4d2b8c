import { createReadStream, createWriteStream, type Stats } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as connect } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Header, Pax } from 'tar';

export interface PackOptions {
  /** The folder that paths are relative to. */
  readonly folder: string;
  /** The paths to pack, in this order; a folder stands for itself, not for its contents. */
  readonly paths: readonly string[];
  /** The level of compression, 1 to 9. */
  readonly level: number;
  readonly signal?: AbortSignal;
}

const BLOCK = 512;
/** Smaller pieces are compressed together: each call of the compressor costs as much as some kilobytes. */
const PIECE = 65_536;

/**
 * Packs files, folders and symbolic links as gzip tar: the same names, modes and contents give the same bytes. A file
 * with several names is packed under each of them, since a source may hold no links. Throws the signal's reason.
 */
export async function packFiles(archive: string, options: PackOptions): Promise<void> {
  const { level, signal = new AbortController().signal } = options;
  // The packer of node-tar ignores signals, and waits forever for a file that it packs under two names at once.
  await pipeline(tarOf(options), createGzip({ level }), createWriteStream(archive), { signal }).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      throw error;
    },
  );
}

/** The same bytes, as a stream. Ends with an error where a file does. */
export function packedFiles(options: Omit<PackOptions, 'signal'>): AsyncIterable<Uint8Array> {
  return connect(tarOf(options), createGzip({ level: options.level }), () => undefined);
}

async function* tarOf({ folder, paths }: PackOptions): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for (const path of paths)
    for await (const part of entryOf(join(folder, path), path)) {
      held.push(part);
      bytes += part.length;
      if (bytes < PIECE) continue;
      yield Buffer.concat(held, bytes);
      [held, bytes] = [[], 0];
    }
  yield Buffer.concat([...held, Buffer.alloc(2 * BLOCK)]);
}

async function* entryOf(file: string, path: string): AsyncGenerator<Buffer> {
  const found = await lstat(file);
  if (found.isDirectory()) yield* headerOf({ path: `${path}/`, type: 'Directory', mode: modeOf(found) });
  else if (found.isSymbolicLink()) {
    const linkpath = await readlink(file);
    yield* headerOf({ path, type: 'SymbolicLink', mode: 0o755, linkpath });
  } else if (found.isFile()) {
    yield* headerOf({ path, type: 'File', mode: modeOf(found), size: found.size });
    if (found.size > PIECE) yield* contentOf(file, found.size);
    else if (found.size > 0) yield await wholeOf(file, found.size);
  }
}

interface HeaderData {
  readonly path: string;
  readonly type: 'Directory' | 'SymbolicLink' | 'File';
  readonly mode: number;
  readonly size?: number;
  readonly linkpath?: string;
}

/** Values that do not fit into a header, like a long name, are in an extended one before it. */
function* headerOf({ size = 0, ...data }: HeaderData): Generator<Buffer> {
  const block = Buffer.alloc(BLOCK);
  if (new Header({ ...data, size }).encode(block)) yield new Pax({ ...data, size }).encode();
  yield block;
}

/** Yields exactly as many bytes as the header states. */
async function* contentOf(file: string, size: number): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of createReadStream(file, { end: size - 1 }) as AsyncIterable<Buffer>) {
    read += chunk.length;
    yield chunk;
  }
  if (read < size) throw becameShorter(file);
  yield Buffer.alloc(sizeInBlocks(size) - size);
}

/** The same in one read: most files are small, and there are many. */
async function wholeOf(file: string, size: number): Promise<Buffer> {
  const content = Buffer.alloc(sizeInBlocks(size));
  await using handle = await open(file);
  for (let read = 0; read < size;) {
    const { bytesRead } = await handle.read(content, read, size - read, read);
    if (bytesRead === 0) throw becameShorter(file);
    read += bytesRead;
  }
  return content;
}

const sizeInBlocks = (size: number) => Math.ceil(size / BLOCK) * BLOCK;

const becameShorter = (file: string) => new Error(`A file became shorter while it was packed: ${file}`);

/** Only the user who unpacks it can write to it. */
function modeOf(found: Stats): number {
  return (found.mode | (found.isDirectory() ? 0o700 : 0o600)) & 0o755;
}
