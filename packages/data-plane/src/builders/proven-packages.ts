import { createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { lchown, lstat, mkdir, open, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { randomToken } from '@roadstead/kit';
import { hashesIn, INTEGRITY_CHARS, placeInNpmCache } from './cache-entry-rules.ts';

/** Larger than any package. */
const MAX_PACKAGE_BYTES = 500_000_000;
/** More than any project locks. */
const MAX_HASHES = 20_000;

export interface ProvenPackagesOptions {
  /**
   * The folder of a workspace: a file for each archive, named by its hash. Builds may read it, and not write to it.
   */
  readonly folder: string;
  /** The npm cache of this build, to which builds of this deployment may write anything. */
  readonly npm_cache: string;
  readonly signal: AbortSignal;
}

/**
 * Archives of packages that a workspace's builds share. A lock file states the hash of each; a build that knows a
 * hash gets those bytes and no others, no matter who fetched them. We take archives out of the cache of a build once
 * everything that it started has ended, as copies whose hash we have checked, and lend them to later builds as links.
 */
export class ProvenPackages {
  readonly #options: ProvenPackagesOptions;
  readonly #hashes: readonly string[];

  /** @param locks the lock files of the project, before the build changed them */
  static async read(locks: readonly string[], options: ProvenPackagesOptions): Promise<ProvenPackages> {
    const hashes = new Set<string>();
    for (const file of locks)
      for await (const hash of hashesOf(file)) if (hashes.size < MAX_HASHES) hashes.add(hash);
    await mkdir(options.folder, { recursive: true });
    return new ProvenPackages(options, [...hashes]);
  }

  private constructor(options: ProvenPackagesOptions, hashes: readonly string[]) {
    this.#options = options;
    this.#hashes = hashes;
  }

  /** Called before a build begins: puts the archives that we have into npm's cache. */
  async lend(): Promise<void> {
    const { folder, npm_cache, signal } = this.#options;
    for (const hex of this.#hashes) {
      signal.throwIfAborted();
      const proven = join(folder, hex);
      if ((await stat(proven).catch(() => undefined)) === undefined) continue;
      const place = await this.#placeOf(hex, { make: true });
      // An archive that npm has fetched itself stays.
      if (place !== undefined) await symlink(proven, join(npm_cache, place)).catch(() => undefined);
    }
  }

  /** Called after its end: takes archives that npm has fetched and that match the lock files. */
  async take(): Promise<void> {
    const { npm_cache, signal } = this.#options;
    for (const hex of this.#hashes) {
      signal.throwIfAborted();
      const place = await this.#placeOf(hex, { make: false });
      if (place !== undefined) await this.#takeFile(hex, join(npm_cache, place));
    }
  }

  /**
   * Copied, since a process that can write to the original could continue to do so; the original is removed, as the
   * copy will be lent.
   */
  async #takeFile(hex: string, file: string): Promise<void> {
    const { folder, signal } = this.#options;
    const found = await lstat(file).catch(() => undefined);
    if (found?.isFile() !== true || found.size > MAX_PACKAGE_BYTES) return;
    const copy = join(folder, `.${randomToken(9)}`);
    const hash = createHash('sha512');
    await using source = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      await pipeline(
        source.createReadStream({ end: MAX_PACKAGE_BYTES, autoClose: false }),
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            hash.update(chunk);
            yield chunk;
          }
        },
        createWriteStream(copy, { mode: 0o644 }),
        { signal },
      );
      if (hash.digest('hex') !== hex) return;
      await rename(copy, join(folder, hex));
      await rm(file, { force: true });
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** The path of an archive in npm's cache, unless a link is in the way: it would lead us wherever a build wants. */
  async #placeOf(hex: string, { make }: { readonly make: boolean }): Promise<string | undefined> {
    const { folders, file } = placeInNpmCache(hex);
    const { npm_cache } = this.#options;
    let at = npm_cache;
    for (const name of folders) {
      at = join(at, name);
      if (
        make &&
        (await mkdir(at).then(
          () => true,
          () => false,
        ))
      )
        await giveAs(npm_cache, at);
      if ((await lstat(at).catch(() => undefined))?.isDirectory() !== true) return undefined;
    }
    return file;
  }
}

/** Gives a new folder of ours to whom another one belongs: builds may be another user's than ours. */
async function giveAs(other: string, path: string): Promise<void> {
  const { uid, gid } = await lstat(other);
  if (process.getuid?.() === 0 && uid !== 0) await lchown(path, uid, gid);
}

async function* hashesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'latin1' })) {
    const text = rest + String(chunk);
    yield* hashesIn(text);
    // A hash that the end of the chunk cuts in two; finding one twice does no harm.
    rest = text.slice(1 - INTEGRITY_CHARS);
  }
}
