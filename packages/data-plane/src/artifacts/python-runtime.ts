import { lstat, open } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join } from 'node:path';
import type { PythonRuntime } from '@roadstead/agent-server';
import { isServedPython, staysInside } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';
import type { Pythons } from '@roadstead/uv';
import { z } from 'zod';
import { orAway } from './python-away.ts';

/** Folders and files that a build puts into an artifact with Python. */
const RECORD = '.roadstead/python.json';
const PACKAGES = '.roadstead/python/packages';
const PROGRAMS = '.roadstead/python/bin';
const MAX_RECORD_BYTES = 65_536;

const Inside = z.string().refine((path) => staysInside('.', path));

/** The record of a build: commands of the project may have written it, so nothing in it is trusted. */
const BuildRecord = z.object({
  version: z.literal(1),
  /** The exact version that the packages were installed with. */
  python: z
    .string()
    .regex(/^3\.\d{1,3}\.\d{1,3}$/)
    .refine((version) => isServedPython(version)),
  /** The folders of the project in which modules are found, in order. */
  paths: z.array(Inside),
  /** The file that names the packages, where there is one. */
  lock: Inside.nullable(),
});
export type PythonRecord = z.output<typeof BuildRecord>;

/** The record in an artifact; undefined where its build had no Python. */
export async function findPythonRecord(folder: string): Promise<PythonRecord | undefined> {
  const text = await ownText(join(folder, RECORD));
  if (text === undefined) return undefined;
  const record = BuildRecord.safeParse(jsonOf(text));
  if (record.success) return record.data;
  throw new Problem('invalid', `${RECORD} of the artifact is not what a build writes.`, {
    hint: 'Deploy it again.',
    cause: record.error,
  });
}

/** The exact versions of Python that these artifacts were built with; one whose record is broken can't run. */
export async function pythonVersions(folders: readonly string[]): Promise<Set<string>> {
  const versions = new Set<string>();
  for (const folder of folders) {
    const record = await findPythonRecord(folder).catch((error: unknown) => {
      if (error instanceof Problem && error.kind === 'invalid') return undefined;
      throw error;
    });
    if (record !== undefined) versions.add(record.python);
  }
  return versions;
}

/**
 * Finds the interpreter that an artifact was built for, and its folders; undefined where its build had no Python.
 * @throws Problem where this machine has no such Python, and none can be brought; `SourceAway` where that may pass.
 */
export async function findPythonRuntime(
  folder: string,
  { pythons, signal }: { readonly pythons: Pythons; readonly signal: AbortSignal },
): Promise<PythonRuntime | undefined> {
  const record = await findPythonRecord(folder);
  if (record === undefined) return undefined;
  const python = await orAway(pythons.provideFor(record.python, signal));
  return {
    interpreter: python.executable,
    module_folders: [...record.paths, PACKAGES].map((path) => join(folder, path)),
    programs: join(folder, PROGRAMS),
    reads: [python.folder],
  };
}

/** The text of a file that is no link. */
async function ownText(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (found?.isFile() !== true || found.size > MAX_RECORD_BYTES) return undefined;
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return await file.readFile('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
