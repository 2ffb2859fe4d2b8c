import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssignedRevision } from '@roadstead/contracts/control-plane';
import { realPathInside } from '@roadstead/archives';
import { folderOf, isPath, normalPath, type ReadConfig } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';
import type { BuildFacts } from './build-plan.ts';
import { configPathOf, readConfigFile, type ConfigFile } from './config-file.ts';
import { type Chain, installPlace, linkedFolders } from './install-place.ts';
import { type PackageFolder, telling } from './package-manager-rules.ts';
import type { PythonFacts } from './python-sources.ts';
import { tellingOfPython } from './python-folder.ts';
import { beginningOf, projectFile } from '../folders/project-files.ts';

/** Longer than the path of any folder can be. */
const MAX_PATH = 4096;

/** More packages that an agent needs than any repository has. */
const MAX_FOLDERS = 100;

/** Reads the facts of an unpacked project that decide how it is built. */
export async function readBuildFacts(
  project: string,
  config: AssignedRevision['config'],
): Promise<BuildFacts & { readonly config_file: ConfigFile }> {
  const config_file = await readConfigFile(project, configPathOf(config));
  const graph_config = config_file.read;
  return {
    config_file,
    graph_config,
    chains: await readChains(project, graph_config),
    python: await readPythonFacts(project, graph_config),
    install_command: config.install_command,
    build_command: config.build_command,
  };
}

/** Empty where the configuration is missing or refused: then nothing is built. */
async function readChains(project: string, read: ReadConfig): Promise<Chain[]> {
  if (read.kind === 'refused') return [];
  const { config_path, local_dependencies } = read.config;
  const folders = new Set([folderOf(config_path), ...local_dependencies]);
  const chains: Chain[] = [];
  // Iterating a set includes what is added meanwhile.
  for (const folder of folders) {
    const chain = await readChain(project, folder, telling);
    chains.push(chain);
    const place = installPlace(chain);
    for (const linked of place === undefined ? [] : linkedFolders(place)) folders.add(linked);
    if (folders.size > MAX_FOLDERS)
      throw new Problem('invalid', `The project links more than ${MAX_FOLDERS} folders to each other.`);
  }
  return chains;
}

/** Undefined where the project has no Python. */
async function readPythonFacts(project: string, read: ReadConfig): Promise<PythonFacts | undefined> {
  if (read.kind === 'refused' || read.config.python === null) return undefined;
  const { python: settings, config_path } = read.config;
  const config_folder = folderOf(config_path);
  const named = settings.dependencies?.filter(isPath).map((path) => normalPath(config_folder, path));
  const root = settings.source && normalPath(config_folder, settings.source.root);
  const folders = new Set([config_folder, ...(named ?? []), ...(root === undefined ? [] : [root])]);
  const chains = new Map<string, Chain>();
  for (const folder of folders) chains.set(folder, await readChain(project, folder, tellingOfPython));
  return { settings, config_path, config_folder, chains };
}

/** A folder that is missing, or that a link leads out of the project, counts as empty. */
async function readChain(
  project: string,
  folder: string,
  names: readonly string[],
): Promise<PackageFolder[]> {
  if (folder.length > MAX_PATH) return [];
  const found = await realPathInside(project, join(project, folder));
  const isThere = found !== undefined && (await stat(found)).isDirectory();
  const place = isThere ? [await readPlace(project, folder, names)] : [];
  return folder === '.' ? place : [...place, ...(await readChain(project, folderOf(folder), names))];
}

async function readPlace(project: string, folder: string, names: readonly string[]): Promise<PackageFolder> {
  const files = await readdir(join(project, folder));
  const texts: Record<string, string> = {};
  for (const name of names.filter((file) => files.includes(file))) {
    const file = await projectFile(project, join(folder, name));
    if (file !== undefined) texts[name] = await beginningOf(file.path);
  }
  return { folder, files, texts };
}
