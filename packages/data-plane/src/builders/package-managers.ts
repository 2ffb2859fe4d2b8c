import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem, randomToken, syncTree } from '@roadstead/kit';
import { isFolder } from './artifact-files.ts';
import { type Manager, packageOf } from './package-manager-rules.ts';

/** Package managers in versions that projects name, each fetched once from the package registry. */
export class PackageManagers {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * The folder of a manager. Where it isn't there, `run` runs what fetches it into a folder that becomes
   * visible by a rename: whole or not there.
   */
  async provide(manager: Manager, run: (command: string, folder: string) => Promise<void>): Promise<string> {
    const folder = join(this.#folder, `${manager.name}-${manager.version}`);
    if (!(await isFolder(folder))) {
      const making = `${folder}.${randomToken(6)}`;
      await mkdir(making, { recursive: true });
      try {
        await run(fetchCommand(manager), making).catch((error: unknown) => {
          throw error instanceof Problem ? notFetched(manager, error) : error;
        });
        await syncTree(making);
        await rename(making, folder).catch((error: NodeJS.ErrnoException) => {
          // Another build has fetched it meanwhile.
          if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
        });
      } finally {
        await rm(making, { recursive: true, force: true });
      }
    }
    return folder;
  }
}

/**
 * By the npm of this machine, with a cache that no build has written to, since every deployment gets what it fetches.
 * Scripts are run by name only: what npm does with them depends on its version.
 */
function fetchCommand(manager: Manager): string {
  const fetch = `npm install --prefix . --cache .cache --no-save --ignore-scripts --no-audit --no-fund ${packageOf(manager)} && rm -rf .cache`;
  // Puts the program for this machine in its place.
  return manager.name === 'bun' ? `${fetch} && node node_modules/bun/install.js` : fetch;
}

/** Where the programs of a manager lie below its folder. */
export const programsIn = (folder: string): string => join(folder, 'node_modules', '.bin');

function notFetched({ name, version }: Manager, cause: Problem): Problem {
  const message = `${name} ${version} could not be fetched from the package registry: ${cause.message}`;
  return new Problem('invalid', message, {
    cause,
    hint: 'Name a version that is there as packageManager in package.json.',
  });
}
