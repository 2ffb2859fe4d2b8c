import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, lutimes, mkdir, readdir, symlink, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Problem } from '@roadstead/kit';
import { readInstalled } from './installed-packages.ts';
import { isLeftOut, isSecondProgram, placePackages } from './placement-rules.ts';
import { copyStill } from './still-copy.ts';

/** This checkout, or the package as it is installed. */
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const PACKER = join(root, 'bin', 'pack.mjs');
const OWN_NAME = 'roadstead';
const MAX_OUTPUT = 16_777_216;

export interface OwnContextOptions {
  /** The folder to make, which is empty or absent. */
  readonly folder: string;
  /** The time that all files have, in seconds since 1970. */
  readonly time_s: number;
  /** Where a uv of ours is kept. */
  readonly uv_folder: string;
  /** The operator's environment, which says where packages of Python are fetched from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Makes the folder that `deploy/Dockerfile` builds the image of Roadstead from: of the packages that are installed here, without a registry;
 * a checkout packs its own first.
 */
export async function writeOwnContext({ onProgress, ...options }: OwnContextOptions): Promise<void> {
  const { folder, time_s, signal } = options;
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new Problem('invalid', `${folder} is not empty.`);
  if (existsSync(PACKER)) {
    onProgress('packing Roadstead');
    await promisify(execFile)(process.execPath, [PACKER], { cwd: root, maxBuffer: MAX_OUTPUT, signal });
  }
  onProgress('gathering packages');
  const own = existsSync(PACKER) ? join(root, 'dist', 'package') : root;
  const app = join(folder, 'app');
  for (const { place, folder: from } of await placedPackages(own)) {
    signal.throwIfAborted();
    const isOwn = basename(place) === OWN_NAME || place.includes('/@roadstead/');
    await copyStill({
      from,
      to: join(app, place),
      time_s,
      isLeftOut: (path) =>
        basename(path) === 'node_modules' ||
        (!isOwn && (isLeftOut(basename(path)) || isSecondProgram(place, path))),
    });
  }
  // npm makes it executable where it installs it.
  await chmod(join(app, 'node_modules', OWN_NAME, 'bin', 'roadstead.mjs'), 0o755);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const command = join(bin, OWN_NAME);
  await symlink(`../lib/${OWN_NAME}/node_modules/${OWN_NAME}/bin/roadstead.mjs`, command);
  await lutimes(command, time_s, time_s);
  // Other commands do without it.
  const { provideUv } = await import('@roadstead/uv');
  onProgress('fetching uv');
  const { uv_folder, environment } = options;
  // The one that belongs to this version, and not whichever is on the PATH.
  const uv = await provideUv({ folder: uv_folder, environment: { ...environment, PATH: '' }, signal });
  await copyStill({ from: uv, to: join(bin, 'uv'), time_s });
  for (const name of ['Dockerfile', 'prepare-system.sh'])
    await copyStill({ from: join(root, 'deploy', name), to: join(folder, name), time_s });
  await settle(folder, time_s);
}

/** Gives the folders between packages, which nobody copied, the rights and the time of all others. */
async function settle(folder: string, time_s: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isDirectory()) await still(join(entry.parentPath, entry.name), time_s);
  await still(folder, time_s);
}

async function still(folder: string, time_s: number): Promise<void> {
  await chmod(folder, 0o755);
  await utimes(folder, time_s, time_s);
}

async function placedPackages(own: string) {
  const installed = await readInstalled(own);
  const [folder = own] = installed.keys();
  return placePackages({ name: OWN_NAME, folder }, installed);
}
