import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { leadsOut, packFiles } from '@roadstead/archives';
import { Problem } from '@roadstead/kit';

/** Light compression, since an artifact is read more often than kept. */
const LEVEL = 1;

/** The most entries in one folder of an artifact, not counting deeper ones. */
const MAX_IN_FOLDER = 50_000;

/** The file system's error codes for files that a build removed or made unreadable. */
const causedByBuild = new Set(['EACCES', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'EPERM']);

/**
 * Packs the result of a build: the same files give the same bytes.
 * @throws Problem that names what can't be packed.
 */
export async function packArtifact(
  folder: string,
  archive: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  // The path may be a link to anywhere by now.
  if (!(await isFolder(folder))) throw new Problem('invalid', 'The build left nothing that can be deployed.');
  try {
    const paths = await sortedPaths(folder, '', { signal });
    if (paths.length === 0) throw new Problem('invalid', 'The build left nothing that can be deployed.');
    await packFiles(archive, { folder, paths, level: LEVEL, signal });
  } catch (error) {
    const { code = '', path } = error as NodeJS.ErrnoException;
    if (signal.aborted || !causedByBuild.has(code) || path?.startsWith(folder + sep) !== true) throw error;
    const what = relative(folder, path);
    throw new Problem('invalid', `The build left ${what} so that it can't be packed (${code}).`, {
      cause: error,
      hint: 'The files of a build must stay in the folder, and be readable.',
    });
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}

async function sortedPaths(
  root: string,
  below: string,
  options: { readonly signal: AbortSignal },
): Promise<string[]> {
  options.signal.throwIfAborted();
  const entries = await entriesOf(join(root, below), below);
  const paths: string[] = [];
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (path === '.git') continue;
    if (entry.isSymbolicLink()) await requireInside(root, path);
    paths.push(path);
    if (entry.isDirectory()) paths.push(...(await sortedPaths(root, path, options)));
  }
  return paths;
}

/** Reads entries a few at a time: a build may leave millions in one folder, which nobody means to deploy. */
async function entriesOf(folder: string, below: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: 1000 })) {
    entries.push(entry);
    if (entries.length <= MAX_IN_FOLDER) continue;
    const where = below === '' ? 'the deployed folder' : below;
    throw new Problem('invalid', `The build left more than ${MAX_IN_FOLDER} files in ${where} itself.`);
  }
  return entries;
}

/**
 * A link that leads out of the folder would lead nowhere where the artifact is unpacked, or to other people's files.
 */
async function requireInside(folder: string, path: string): Promise<void> {
  if (!(await leadsOut(folder, join(folder, path)))) return;
  throw new Problem(
    'invalid',
    `The build left the link ${path}, which leads out of the deployed folder; an artifact can't hold it.`,
    { hint: 'Let the build copy what it links to, or remove the link.' },
  );
}
