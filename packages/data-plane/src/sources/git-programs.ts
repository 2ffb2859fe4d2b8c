import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fence } from '@roadstead/fence';
import { readLines } from '@roadstead/kit';
import { removeTree } from '../folders/remove-tree.ts';
import { gitEnvironment, type GitPrograms } from './git-config-rules.ts';

/** Folders of programs, independent of any user's PATH. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The oldest version that can be kept from reading any configuration but ours. */
const MIN_VERSION = [2, 32] as const;
const PROBE_MS = 20_000;

/** A checkout runs the source as it is, a package its JavaScript. */
const sshConnect = ['./ssh-connect.mts', './ssh-connect.mjs']
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .find((path) => existsSync(path));

export type FoundGit =
  | { readonly kind: 'found'; readonly programs: GitPrograms; readonly version: string }
  | { readonly kind: 'missing'; readonly why: string };

/**
 * Finds the programs that fetch repositories; git is tried where it will run.
 * @param folder a new folder of ours, which is removed again.
 */
export async function findGit(
  fence: Fence,
  { path, folder }: { readonly path: string; readonly folder: string },
): Promise<FoundGit> {
  const folders = [...FOLDERS, ...path.split(':').filter((one) => one.startsWith('/'))];
  const find = (name: string) => folders.map((one) => join(one, name)).find((file) => existsSync(file));
  const git = find('git');
  if (git === undefined) return { kind: 'missing', why: 'there is no program git' };
  if (sshConnect === undefined) return { kind: 'missing', why: 'the installation is not complete' };
  const programs = { git, ssh: find('ssh'), ssh_connect: sshConnect, node: process.execPath };
  await mkdir(folder, { recursive: true });
  try {
    const said = await versionOf(fence, { programs, folder });
    const [, version = '', major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(said) ?? [];
    if (version === '') return { kind: 'missing', why: `${git} does not run behind the fence: ${said}` };
    if (isOlder([Number(major), Number(minor)]))
      return { kind: 'missing', why: `${git} is ${version}, and ${MIN_VERSION.join('.')} is needed` };
    return { kind: 'found', programs, version };
  } finally {
    await removeTree(folder);
  }
}

const isOlder = ([major, minor]: readonly [number, number]): boolean =>
  major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1]);

/** The version that it prints first. */
async function versionOf(
  fence: Fence,
  { programs, folder }: { readonly programs: GitPrograms; readonly folder: string },
): Promise<string> {
  const running = fence.start({
    command: [programs.git, '--version'],
    cwd: folder,
    environment: gitEnvironment(folder, programs),
    reads: [],
    writes: [folder],
    home: folder,
    pipes: 2,
  });
  const lines: string[] = [];
  for (const stream of [running.child.stdout, running.child.stderr])
    if (stream !== null) readLines(stream, { onLine: (line) => lines.push(line) });
  const late = setTimeout(() => running.kill(), PROBE_MS);
  await running.ended;
  clearTimeout(late);
  return lines[0] ?? '';
}
