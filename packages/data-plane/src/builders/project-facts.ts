import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssignedRevision } from '@roadstead/contracts/control-plane';
import type { BuildFacts } from './build-plan.ts';
import { configPathOf, folderOf, staysInside } from './graph-config-rules.ts';
import { type Place, telling } from './package-manager-rules.ts';

/** More than any of these files needs for what is read of it; the formats of lock files stand in their first lines. */
const MAX_BYTES = 1_048_576;

/** What of an unpacked project decides how it is built. */
export async function readBuildFacts(
  project: string,
  config: AssignedRevision['config'],
): Promise<BuildFacts> {
  const config_path = configPathOf(config).replace(/^\.\//, '');
  const path = join(project, config_path);
  const found = staysInside('.', config_path) ? await stat(path).catch(() => undefined) : undefined;
  return {
    config_text: found?.isFile() === true ? await beginningOf(path) : undefined,
    config_path,
    root: await readPlace(project, '.'),
    beside_config: await readPlace(project, found === undefined ? '.' : folderOf(config_path)),
    install_command: config.install_command,
    build_command: config.build_command,
  };
}

async function readPlace(project: string, folder: string): Promise<Place> {
  const files = await readdir(join(project, folder));
  const texts: Record<string, string> = {};
  for (const name of telling.filter((file) => files.includes(file)))
    texts[name] = await beginningOf(join(project, folder, name));
  return { folder, files, texts };
}

async function beginningOf(path: string): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: 'utf8', end: MAX_BYTES - 1 }))
    chunks.push(String(chunk));
  return chunks.join('');
}
