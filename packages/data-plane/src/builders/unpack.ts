import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type ReadEntry } from 'tar';
import { Problem } from '@roadstead/kit';

/** What an archive may hold at most. */
interface UnpackLimits {
  readonly entries: number;
  readonly bytes: number;
}

const sourceLimits: UnpackLimits = { entries: 50_000, bytes: 2_000_000_000 };

/** Whoever packed: what is unpacked is ours, and any build of ours can read it. */
const asOurs = { preservePaths: false, preserveOwner: false, noMtime: true } as const;

/**
 * Unpacks a gzip tar into an existing folder. Refuses, before anything of it is written, an entry that would leave the
 * folder, a link, a device, and more than the limits; nothing more is read then.
 * @throws Problem that names the entry.
 */
export async function unpackSource(
  archive: string,
  folder: string,
  { limits = sourceLimits, signal }: { readonly limits?: UnpackLimits; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const refused = new AbortController();
  const state = { entries: 0, bytes: 0, refusal: undefined as Problem | undefined };
  const check = (path: string, entry: ReadEntry): boolean => {
    state.entries += 1;
    state.bytes += entry.size;
    state.refusal ??= refusalOf(path, entry.type, state, limits);
    if (state.refusal !== undefined) refused.abort();
    return state.refusal === undefined;
  };
  const unpack = extract({
    ...asOurs,
    cwd: folder,
    strict: false,
    filter: (path, entry) => check(path, entry as ReadEntry),
  });
  try {
    const until = AbortSignal.any([refused.signal, ...(signal === undefined ? [] : [signal])]);
    await pipeline(createReadStream(archive), createGunzip(), unpack, { signal: until });
  } catch (cause) {
    signal?.throwIfAborted();
    throw (
      state.refusal ?? new Problem('invalid', 'The source archive is not a readable gzip tar.', { cause })
    );
  }
  if (state.refusal !== undefined) throw state.refusal;
  if (state.entries === 0) throw new Problem('invalid', 'The source archive is empty.');
}

/**
 * Unpacks an artifact that we packed ourselves: links of package managers are part of it, and stay inside.
 * @throws Problem where it can't be unpacked: the same bytes never will be.
 */
export async function unpackArtifact(archive: string, folder: string): Promise<void> {
  const unpack = extract({ ...asOurs, cwd: folder, strict: true });
  await pipeline(createReadStream(archive), createGunzip(), unpack).catch((cause: unknown) => {
    if ((cause as { tarCode?: unknown }).tarCode === undefined) throw cause;
    throw new Problem('invalid', 'The artifact can not be unpacked.', { cause, code: 'artifact_unreadable' });
  });
}

const allowedTypes = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory', 'GNUDumpDir']);

function refusalOf(
  path: string,
  type: string,
  seen: { entries: number; bytes: number },
  limits: UnpackLimits,
): Problem | undefined {
  const shown = JSON.stringify(path.slice(0, 200));
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || path.split(/[\\/]/).includes('..')) {
    return new Problem('invalid', `The archive's entry ${shown} would leave its folder.`);
  }
  if (!allowedTypes.has(type))
    return new Problem(
      'invalid',
      `The archive's entry ${shown} is a ${type}; only files and folders are allowed.`,
    );
  if (seen.entries > limits.entries)
    return new Problem('too_large', `The archive has more than ${limits.entries} entries.`);
  if (seen.bytes > limits.bytes)
    return new Problem('too_large', `The archive unpacks to more than ${limits.bytes} bytes.`);
  return undefined;
}
