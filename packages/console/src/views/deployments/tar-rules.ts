/** Writes tar archives (POSIX.1-2001: ustar, with a record before each name that is too long for it). Pure. */

const BLOCK = 512;
const encoder = new TextEncoder();

export interface TarEntry {
  /** A path with slashes, from the root of the archive. */
  readonly path: string;
  readonly size: number;
  readonly mtime_s: number;
}

/** What stands before the bytes of a file. */
export function tarHeader(entry: TarEntry): Uint8Array<ArrayBuffer> {
  const place = placeOf(entry.path);
  if (place !== undefined) return header({ ...entry, ...place, type: '0' });
  const record = encoder.encode(recordOf('path', entry.path));
  const short = { name: `long/${entry.path.length}`, prefix: '' };
  return joined([
    header({ ...short, size: record.length, mtime_s: entry.mtime_s, type: 'x' }),
    record,
    padding(record.length),
    header({ ...short, size: entry.size, mtime_s: entry.mtime_s, type: '0' }),
  ]);
}

/** What fills the last block of a file. */
export const padding = (size: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

export const TAR_END: Uint8Array<ArrayBuffer> = new Uint8Array(2 * BLOCK);

interface Place {
  readonly name: string;
  readonly prefix: string;
}

const bytesOf = (text: string) => encoder.encode(text).length;

/** How a path fits into the two fields for it; undefined where it doesn't. */
function placeOf(path: string): Place | undefined {
  if (bytesOf(path) <= 100) return { name: path, prefix: '' };
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (bytesOf(name) <= 100 && bytesOf(prefix) <= 155 && name !== '') return { prefix, name };
  }
  return undefined;
}

interface Header extends Place {
  readonly size: number;
  readonly mtime_s: number;
  /** A file, or a record for the entry that follows. */
  readonly type: '0' | 'x';
}

function header({ name, prefix, size, mtime_s, type }: Header): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(encoder.encode(text), at);
  put(0, name);
  put(100, '0000644\0');
  put(108, '0000000\0');
  put(116, '0000000\0');
  put(124, `${octal(size)}\0`);
  put(136, `${octal(Math.max(0, Math.floor(mtime_s)))}\0`);
  put(148, '        ');
  put(156, type);
  put(257, 'ustar\x0000');
  put(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  return block;
}

const octal = (value: number) => value.toString(8).padStart(11, '0');

/** A record tells its own length, which its own digits belong to. */
function recordOf(key: string, value: string): string {
  const body = ` ${key}=${value}\n`;
  const base = bytesOf(body);
  const digits = [1, 2, 3, 4, 5].find((count) => String(base + count).length === count) ?? 5;
  return `${base + digits}${body}`;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const left: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^\.env(\.local|\..*\.local)?$/, 'secrets of this machine'],
  [/^node_modules$/, 'installed again by the build'],
  [/^(\.venv|venv|__pycache__|\.turbo|\.cache)$/, 'made on this machine'],
  [/^(\.git|\.roadstead|\.langgraph_api|\.DS_Store)$/, ''],
];

/** Why a file or folder of this name is never packed; undefined for an ordinary one, empty where nobody misses it. */
export const whyLeftOut = (name: string): string | undefined =>
  left.find(([pattern]) => pattern.test(name))?.[1];
