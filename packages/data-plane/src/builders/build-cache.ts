import { renameSync } from 'node:fs';
import { mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { randomToken } from '@roadstead/kit';
import { removeTree, SYSTEM_PATH } from '../folders/remove-tree.ts';
import { isOwnedBy } from './cache-entry-rules.ts';
import { execFile } from 'node:child_process';

const MAX_BYTES = 5_000_000_000;

/** An entry that a build uses until it is disposed of. */
export interface HeldEntry extends AsyncDisposable {
  readonly path: string;
}

interface Entry {
  /** `{owner}/{name}` */
  readonly key: string;
  readonly path: string;
  readonly used_ms: number;
}

/**
 * Files that builds have fetched, in a folder for each owner: a workspace, or `MANAGERS`. Other owners’ builds never
 * see what a deployment's builds write. Whole entries of an owner are removed, oldest first; the age of an entry
 * counts from its last use by a build.
 */
export class BuildCache {
  /** The owner of the package managers, which all builds share and none can write to. */
  static readonly MANAGERS = 'managers';
  readonly #folder: string;
  readonly #max_bytes: number;
  readonly #held = new Map<string, number>();
  /** Entries of deleted deployments that a build still holds: they are removed at its end. */
  readonly #forgotten = new Set<string>();
  /** Sizes of the entries that no build has used since they were measured. */
  readonly #sizes = new Map<string, number>();

  constructor(folder: string, { max_bytes = MAX_BYTES } = {}) {
    this.#folder = folder;
    this.#max_bytes = max_bytes;
  }

  /** An entry of an owner, whether it exists or not, which stays as long as it is held. */
  hold(owner: string, name: string): HeldEntry {
    const key = `${owner}/${name}`;
    const path = join(this.#folder, key);
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    return { path, [Symbol.asyncDispose]: () => this.#release(key, path) };
  }

  /** Removes the private entries of a deployment that is gone. */
  async forget(deployment_id: string): Promise<void> {
    for (const entry of await this.#entries())
      if (isOwnedBy(entry.key, deployment_id) && !(await this.#remove(entry))) this.#forgotten.add(entry.key);
  }

  /**
   * Removes entries of workspaces without a deployment here and, where the total is too large, the least recently
   * used entries of the owner that holds most.
   */
  async trim(workspaces: ReadonlySet<string>): Promise<void> {
    // Left over from a killed process that was still removing it.
    await removeTree(this.#gone);
    const known = (key: string) => key.startsWith(`${BuildCache.MANAGERS}/`) || workspaces.has(ownerOf(key));
    const entries = await this.#entries();
    for (const entry of entries) if (!known(entry.key)) await this.#remove(entry);
    const left = entries
      .filter(({ key }) => known(key))
      .toSorted((one, other) => one.used_ms - other.used_ms);
    const sums = await this.#measure(left);
    while (left.length > 0 && [...sums.values()].reduce((sum, bytes) => sum + bytes, 0) > this.#max_bytes) {
      const holds = ({ key }: Entry) => sums.get(ownerOf(key)) ?? 0;
      const [first] = left;
      const next = left.reduce((most, entry) => (holds(entry) > holds(most) ? entry : most), first as Entry);
      left.splice(left.indexOf(next), 1);
      const size = this.#sizes.get(next.key) ?? 0;
      if (await this.#remove(next)) sums.set(ownerOf(next.key), holds(next) - size);
    }
  }

  get #gone(): string {
    return `${this.#folder}.gone`;
  }

  async #release(key: string, path: string): Promise<void> {
    const now = new Date();
    await utimes(path, now, now).catch(() => undefined);
    this.#sizes.delete(key);
    const others = (this.#held.get(key) ?? 1) - 1;
    if (others > 0) return void this.#held.set(key, others);
    this.#held.delete(key);
    if (this.#forgotten.delete(key)) await this.#remove({ key, path, used_ms: 0 });
  }

  async #entries(): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (const owner of await readdir(this.#folder).catch(() => []))
      for (const name of await readdir(join(this.#folder, owner)).catch(() => [])) {
        const path = join(this.#folder, owner, name);
        const found = await stat(path).catch(() => undefined);
        if (found !== undefined) entries.push({ key: `${owner}/${name}`, path, used_ms: found.mtimeMs });
      }
    return entries;
  }

  /** Measures only entries that were used since they were last measured; answers each owner's total. */
  async #measure(entries: readonly Entry[]): Promise<Map<string, number>> {
    const unknown = entries.filter(({ key }) => !this.#sizes.has(key));
    const sizes = await sizesOfTrees(unknown.map(({ path }) => path));
    for (const { key, path } of unknown) if (!this.#held.has(key)) this.#sizes.set(key, sizes.get(path) ?? 0);
    const sums = new Map<string, number>();
    for (const { key, path } of entries) {
      const size = this.#sizes.get(key) ?? sizes.get(path) ?? 0;
      sums.set(ownerOf(key), (sums.get(ownerOf(key)) ?? 0) + size);
    }
    return sums;
  }

  /** False for an entry in use. */
  async #remove({ key, path }: Entry): Promise<boolean> {
    const gone = join(this.#gone, randomToken(9));
    await mkdir(this.#gone, { recursive: true });
    // In the same tick as the check, so that no build finds half of it.
    if (this.#held.has(key)) return false;
    renameSync(path, gone);
    this.#sizes.delete(key);
    await removeTree(gone);
    return true;
  }
}

const ownerOf = (key: string) => key.split('/')[0] ?? '';

/** More paths than this don't fit into the arguments of one program. */
const AT_ONCE = 100;

/**
 * The disk usage of folders in bytes, each with everything in it. They may hold millions of files: the system's own
 * program measures them without holding our event loop. Files that it can't read, or that are gone, count nothing.
 */
async function sizesOfTrees(paths: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (let at = 0; at < paths.length; at += AT_ONCE)
    for (const line of (await diskUsage(paths.slice(at, at + AT_ONCE))).split('\n')) {
      const [, kilobytes, path = ''] = /^(\d+)\s+(.+)$/.exec(line) ?? [];
      if (kilobytes !== undefined) sizes.set(path, Number(kilobytes) * 1024);
    }
  return sizes;
}

/** It also exits with an error where it could not read everything. */
function diskUsage(paths: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile('du', ['-sk', '--', ...paths], { cwd: '/', env: { PATH: SYSTEM_PATH } }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}
