import { Problem } from '@roadstead/kit';

/** The limits of an archive. */
export interface UnpackLimits {
  readonly entries: number;
  /** The size of all files together, as their headers announce it. */
  readonly bytes: number;
}

/** The entries and bytes of an archive that were read so far. */
export interface UnpackProgress {
  entries: number;
  /** Entries that are files. */
  files: number;
  /** Bytes that the headers of files announce. */
  announced: number;
  /** Bytes that were decompressed. */
  read: number;
  /** Path of the last entry. */
  last: string | undefined;
}

/** Bytes that an archive may hold beside its files: headers, long names, padding, and the blocks at its end. */
const OVERHEAD_BYTES = 1_048_576;
const OVERHEAD_BYTES_PER_ENTRY = 8192;

const fileTypes = new Set(['File', 'OldFile', 'ContiguousFile']);
const allowedTypes = new Set([...fileTypes, 'Directory', 'GNUDumpDir', 'SymbolicLink']);

export const isFile = (type: string): boolean => fileTypes.has(type);

/** Why an archive without content is refused, once it is read to its end. */
export function holdsNothing({ entries, files }: UnpackProgress): Problem | undefined {
  if (files > 0) return undefined;
  return new Problem(
    'invalid',
    entries === 0 ? 'The source archive is empty.' : 'The source archive holds no file.',
  );
}

/** The name that GNU tar gives a file with holes, for readers that don't support them. */
const SPARSE = /(^|\/)GNUSparseFile\.\d+\//;

interface Entry {
  readonly path: string;
  readonly type: string;
  /** The target of a link. */
  readonly linkpath?: string | undefined;
}

/** Why an entry is refused; it is counted already. */
export function entryRefusal(
  { path, type, linkpath = '' }: Entry,
  { seen, limits }: { readonly seen: UnpackProgress; readonly limits: UnpackLimits },
): Problem | undefined {
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.split(/[\\/]/).includes('..'))
    return new Problem('invalid', `The archive's entry ${shown(path)} would leave its folder.`);
  if (type === 'SparseFile' || SPARSE.test(path))
    return new Problem(
      'invalid',
      `The archive's entry ${shown(path)} is a file with holes, in a form of GNU tar; pack it without --sparse.`,
    );
  if (!allowedTypes.has(type))
    return new Problem(
      'invalid',
      `The archive's entry ${shown(path)} is a ${type === 'Link' ? 'hard link' : type}; only files, folders and symbolic links between them are allowed.`,
    );
  if (type === 'SymbolicLink' && partsOf(path).length > MAX_LINK_PARTS)
    return new Problem(
      'invalid',
      `The archive's link ${shown(path)} lies more than ${MAX_LINK_PARTS} folders deep.`,
    );
  if (type === 'SymbolicLink' && climbsOut(path, linkpath)) return linkOut(path);
  if (seen.entries > limits.entries)
    return new Problem('too_large', `The archive has more than ${limits.entries} entries.`);
  if (seen.announced > limits.bytes)
    return new Problem('too_large', `The archive unpacks to more than ${limits.bytes} bytes.`);
  return undefined;
}

export const linkOut = (path: string): Problem =>
  new Problem(
    'invalid',
    `The archive's entry ${shown(path)} is a SymbolicLink that leads out of the archive.`,
  );

/** Each part is checked for each link. */
const MAX_LINK_PARTS = 64;

const partsOf = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.');

/** Decides by the text alone; a target may be a link as well. */
function climbsOut(path: string, linkpath: string): boolean {
  if (linkpath === '' || linkpath.startsWith('/') || linkpath.includes('\\')) return true;
  let depth = partsOf(path).length - 1;
  return linkpath.split('/').some((part) => {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    return depth < 0;
  });
}

/** Whether more was read than the entries account for: zeros, padding or headers that unpack to nothing. */
export function hasTooMuchOverhead({ entries, announced, read }: UnpackProgress): boolean {
  return read - announced > OVERHEAD_BYTES + entries * OVERHEAD_BYTES_PER_ENTRY;
}

export function tooMuchOverhead(): Problem {
  return new Problem(
    'too_large',
    'The archive holds more headers, padding or empty blocks than its files account for.',
  );
}

/** Compressed twice: the content begins like gzip or Zstandard, which the tar reader would decompress uncounted. */
export function isCompressed(start: Uint8Array): boolean {
  const begins = (magic: readonly number[]) => magic.every((byte, at) => start[at] === byte);
  return begins([0x1f, 0x8b]) || begins([0x28, 0xb5, 0x2f, 0xfd]);
}

/** Errors of the file system that the names in an archive cause; other errors are the machine's. */
const causedByNames = new Set([
  'EEXIST',
  'EINVAL',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOTDIR',
  'ENOTEMPTY',
]);

/** The archive's fault in words; undefined for an error that is not its fault, like a full disk. */
export function unreadable(error: unknown, { entries, last }: UnpackProgress): Problem | undefined {
  const { code = '', tarCode, syscall } = error as Readonly<Record<string, string | undefined>>;
  const after = last === undefined ? '' : `, at or after its entry ${shown(last)}`;
  const say = (what: string) => new Problem('invalid', `The source archive ${what}.`, { cause: error });
  if (syscall !== undefined && tarCode === undefined) return undefined;
  if (tarCode === 'TAR_ENTRY_INVALID') return say(`is damaged: a header can not be read${after}`);
  if (tarCode === 'TAR_BAD_ARCHIVE')
    return say(entries === 0 ? 'holds nothing that can be read as tar' : `is damaged or cut off${after}`);
  if (tarCode === 'TAR_ENTRY_ERROR' && syscall !== undefined)
    return causedByNames.has(code) ? say(`can not be unpacked (${code})${after}`) : undefined;
  if (tarCode === 'TAR_ENTRY_ERROR' && 'maxDepth' in (error as object))
    return say(`can not be unpacked: a path of it has too many folders${after}`);
  return say('is not a readable gzip tar');
}

/** The archive's fault, where one of its links can't be created. */
export function unmakeable(error: unknown, path: string): Problem | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!causedByNames.has(code)) return undefined;
  return new Problem('invalid', `The archive's link ${shown(path)} can not be made (${code}).`, {
    cause: error,
  });
}

const shown = (path: string) => JSON.stringify(path.slice(0, 200));
