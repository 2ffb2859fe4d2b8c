import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type GraphConfig, type ReadConfig, readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';

/** @throws Problem where the path is no folder. */
export async function requireFolder(path: string): Promise<string> {
  const folder = resolve(path);
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true)
    throw new Problem('invalid', `${folder} is not a folder.`);
  return folder;
}

/** The graph configuration of a folder, read by the same rules as in a build; undefined where it has none. */
export async function findProjectConfig(folder: string, path: string): Promise<ReadConfig | undefined> {
  const text = await readFile(join(folder, path), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : readLangGraphJson(text, path);
}

/**
 * Reads the graph configuration of a folder before anything is sent.
 * @throws Problem that describes what is wrong with it.
 */
export async function readProjectConfig(folder: string, path: string): Promise<GraphConfig> {
  const read = await findProjectConfig(folder, path);
  if (read === undefined)
    throw new Problem(
      'invalid',
      `There is no ${path} in ${folder}; name the folder of an agent, or its graph configuration with --config.`,
    );
  if (read.kind === 'refused')
    throw new Problem('invalid', read.message, read.hint === undefined ? {} : { hint: read.hint });
  return read.config;
}

/** The env file that the configuration names; env files are never packed, so their variables travel as secrets. */
export function envFileOf({ env }: GraphConfig, path: string): string | undefined {
  if (typeof env !== 'string') return undefined;
  const file = join(dirname(path), env);
  return existsSync(file) ? file : undefined;
}

/** A deployment's name, derived from a folder or the address of a repository. */
export function deploymentNameOf(path: string): string {
  return basename(
    path
      .replace(/[/:]+$/, '')
      .replace(/\.git$/, '')
      .replaceAll(':', '/'),
  )
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)
    .replaceAll(/-+$/g, '');
}
