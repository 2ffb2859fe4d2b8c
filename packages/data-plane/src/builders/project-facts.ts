import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssignedRevision } from '@roadstead/contracts/control-plane';
import { realPathInside } from '@roadstead/archives';
import {
  folderOf,
  type GraphConfig,
  readLangGraphJson,
  staysInside,
} from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';
import type { BuildFacts } from './build-plan.ts';
import { configPathOf } from './config-path-rules.ts';
import { type Chain, installPlace, linkedFolders } from './install-place.ts';
import { type PackageFolder, telling } from './package-manager-rules.ts';

/**
 * The part of a file that we read: more than any file needs, and lock files show their format in their first lines.
 */
export const MAX_FILE_BYTES = 1_048_576;

/** Longer than the path of any folder can be. */
const MAX_PATH = 4096;

/** More packages that an agent needs than any repository has. */
const MAX_FOLDERS = 100;

/** Reads the facts of an unpacked project that decide how it is built. */
export async function readBuildFacts(
  project: string,
  config: AssignedRevision['config'],
): Promise<BuildFacts> {
  const config_path = configPathOf(config);
  const config_text = await configTextOf(project, config_path);
  return {
    config_text,
    config_path,
    chains: await readChains(project, config_path, config_text),
    install_command: config.install_command,
    build_command: config.build_command,
  };
}

/** Empty where the configuration is missing or refused: then nothing is built. */
async function readChains(
  project: string,
  config_path: string,
  config_text: string | undefined,
): Promise<Chain[]> {
  const read = readLangGraphJson(config_text, config_path);
  if (read.kind === 'refused') return [];
  const folders = new Set([folderOf(config_path), ...read.config.local_dependencies]);
  const chains: Chain[] = [];
  // Iterating a set includes what is added meanwhile.
  for (const folder of folders) {
    const chain = await readChain(project, folder);
    chains.push(chain);
    const place = installPlace(chain);
    for (const linked of place === undefined ? [] : linkedFolders(place)) folders.add(linked);
    if (folders.size > MAX_FOLDERS)
      throw new Problem('invalid', `The project links more than ${MAX_FOLDERS} folders to each other.`);
  }
  return chains;
}

/** A folder that is missing, or that a link leads out of the project, counts as empty. */
async function readChain(project: string, folder: string): Promise<PackageFolder[]> {
  if (folder.length > MAX_PATH) return [];
  const found = await realPathInside(project, join(project, folder));
  const isThere = found !== undefined && (await stat(found)).isDirectory();
  const place = isThere ? [await readPlace(project, folder)] : [];
  return folder === '.' ? place : [...place, ...(await readChain(project, folderOf(folder)))];
}

/**
 * Reads the `langgraph.json` of a built project.
 * @throws Problem that describes what is wrong with it.
 */
export async function readGraphConfig(project: string, config_path: string): Promise<GraphConfig> {
  const read = readLangGraphJson(await configTextOf(project, config_path), config_path);
  if (read.kind === 'refused')
    throw new Problem('invalid', read.message, read.hint === undefined ? {} : { hint: read.hint });
  return read.config;
}

async function configTextOf(project: string, config_path: string): Promise<string | undefined> {
  if (!staysInside('.', config_path)) return undefined;
  const file = await projectFile(project, config_path);
  return file === undefined ? undefined : beginningOf(file.path);
}

/**
 * A file of a built project; undefined where it is no regular file, such as a pipe, or a link that leads out of the
 * project.
 */
export async function projectFile(
  project: string,
  path: string,
): Promise<{ readonly path: string; readonly size: number } | undefined> {
  const found = await realPathInside(project, join(project, path));
  if (found === undefined) return undefined;
  const status = await stat(found);
  return status.isFile() ? { path: found, size: status.size } : undefined;
}

async function readPlace(project: string, folder: string): Promise<PackageFolder> {
  const files = await readdir(join(project, folder));
  const texts: Record<string, string> = {};
  for (const name of telling.filter((file) => files.includes(file))) {
    const file = await projectFile(project, join(folder, name));
    if (file !== undefined) texts[name] = await beginningOf(file.path);
  }
  return { folder, files, texts };
}

async function beginningOf(path: string): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: 'utf8', end: MAX_FILE_BYTES - 1 }))
    chunks.push(String(chunk));
  return chunks.join('');
}
