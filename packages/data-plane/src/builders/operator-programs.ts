import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { homeOfManager } from './operator-npm-rules.ts';

/**
 * The folders that the programs on a PATH need: the PATH's own, for one that npm installs into also its packages, and
 * for a version manager everything that it manages.
 */
export function programFolders(path: string): string[] {
  const folders = path.split(':').filter((folder) => existsSync(folder));
  const npm = folders.map((folder) => join(folder, 'npm')).find((file) => existsSync(file));
  return [
    ...folders.flatMap((folder) => [homeOfManager(folder) ?? folder, join(folder, '../lib/node_modules')]),
    ...(npm === undefined ? [] : [join(realpathSync(npm), '../..')]),
  ].filter((folder) => existsSync(folder));
}
