import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem, randomToken, syncTree } from '@roadstead/kit';
import { removeTree } from '../folders/remove-tree.ts';
import { isFolder } from '../artifacts/artifact-files.ts';
import { BuildCache, type HeldEntry } from './build-cache.ts';
import { type Manager, packageOf } from './package-manager-rules.ts';

/** Package managers in the versions that projects name, each fetched once from the package registry. */
export class PackageManagers {
  readonly #cache: BuildCache;

  constructor(cache: BuildCache) {
    this.#cache = cache;
  }

  /**
   * The folder of a manager, which stays as long as it is held. Where it isn't there, `run` executes the command that
   * fetches it into a folder, which becomes visible by a rename: complete or absent.
   */
  async provide(manager: Manager, run: Fetch): Promise<HeldEntry> {
    await using stack = new AsyncDisposableStack();
    const name = `${manager.name}-${manager.version}`;
    const held = stack.use(this.#cache.hold(BuildCache.MANAGERS, name));
    if (!(await isFolder(held.path))) await this.#fetch(manager, { run, to: held.path });
    stack.move();
    return held;
  }

  async #fetch(manager: Manager, { run, to }: { readonly run: Fetch; readonly to: string }): Promise<void> {
    const name = `${manager.name}-${manager.version}.${randomToken(6)}`;
    await using making = this.#cache.hold(BuildCache.MANAGERS, name);
    await mkdir(making.path, { recursive: true });
    try {
      await run(fetchCommand(manager), making.path).catch((error: unknown) => {
        throw error instanceof Problem ? notFetched(manager, error) : error;
      });
      await syncTree(making.path);
      await rename(making.path, to).catch((error: NodeJS.ErrnoException) => {
        // Another build has fetched it meanwhile.
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      });
    } finally {
      await removeTree(making.path);
    }
  }
}

type Fetch = (command: string, folder: string) => Promise<void>;

/**
 * The command that fetches a manager with the npm of this machine, and with a cache that no build has written to,
 * since every deployment gets the result. Scripts are run by name only: what npm does with them depends on its
 * version.
 */
function fetchCommand(manager: Manager): string {
  const fetch = `npm install --prefix . --cache .cache --no-save --ignore-scripts --no-audit --no-fund ${packageOf(manager)} && rm -rf .cache`;
  // Moves the program for this machine into place.
  return manager.name === 'bun' ? `${fetch} && node node_modules/bun/install.js` : fetch;
}

/** The folder of a manager's programs. */
export const programsIn = (folder: string): string => join(folder, 'node_modules', '.bin');

function notFetched({ name, version }: Manager, cause: Problem): Problem {
  const message = `${name} ${version} could not be fetched from the package registry: ${cause.message}`;
  return new Problem('invalid', message, {
    cause,
    hint: 'Name a version that is there as packageManager in package.json.',
  });
}
