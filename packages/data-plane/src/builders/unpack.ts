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

/**
 * Unpacks a gzip tar into an existing folder. Refuses, before anything of it is written, an entry that would leave the
 * folder, a link, a device, and more than the limits.
 * @throws Problem that names the entry.
 */
export async function unpackSource(archive: string, folder: string, limits = sourceLimits): Promise<void> {
  const state = { entries: 0, bytes: 0, refusal: undefined as Problem | undefined };
  const check = (path: string, entry: ReadEntry): boolean => {
    state.entries += 1;
    state.bytes += entry.size;
    state.refusal ??= refusalOf(path, entry.type, state, limits);
    return state.refusal === undefined;
  };
  const unpack = extract({
    cwd: folder,
    strict: false,
    preservePaths: false,
    noMtime: true,
    filter: (path, entry) => check(path, entry as ReadEntry),
  });
  // Nothing more is read once something is refused.
  unpack.on('entry', () => state.refusal && unpack.abort(state.refusal));
  try {
    await pipeline(createReadStream(archive), createGunzip(), unpack);
  } catch (cause) {
    throw (
      state.refusal ?? new Problem('invalid', 'The source archive is not a readable gzip tar.', { cause })
    );
  }
  if (state.refusal !== undefined) throw state.refusal;
  if (state.entries === 0) throw new Problem('invalid', 'The source archive is empty.');
}

/** Unpacks an artifact that we packed ourselves: links of package managers are part of it, and stay inside. */
export async function unpackArtifact(archive: string, folder: string): Promise<void> {
  await pipeline(
    createReadStream(archive),
    createGunzip(),
    extract({ cwd: folder, strict: true, preservePaths: false, noMtime: true }),
  );
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
