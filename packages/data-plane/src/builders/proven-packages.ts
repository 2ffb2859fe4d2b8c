import { createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, open, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { randomToken } from '@roadstead/kit';
import { hashesIn, INTEGRITY_CHARS, placeInNpmCache } from './cache-entry-rules.ts';

/** More than any package has. */
const MAX_PACKAGE_BYTES = 500_000_000;
/** More than any project locks. */
const MAX_HASHES = 20_000;

export interface ProvenPackagesOptions {
  /** Of a workspace: a file for each archive, named by its hash. Builds may read it, and not write to it. */
  readonly folder: string;
  /** The cache that npm has in this build, to which builds of this deployment may write whatever they like. */
  readonly npm_cache: string;
  readonly signal: AbortSignal;
}

/**
 * Archives of packages that a workspace's builds share. A lock file says what hash each has; who has read that hash gets
 * those bytes and no others, whoever fetched them. We take them out of the cache of a build once all that it
 * started has ended, as copies whose hash we have seen, and lend them to later builds as links.
 */
export class ProvenPackages {
  readonly #options: ProvenPackagesOptions;
  readonly #hashes: readonly string[];

  /** @param locks the lock files of the project, as they came. */
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

  /** Before a build begins: npm finds in its cache what is here. */
  async lend(): Promise<void> {
    const { folder, npm_cache, signal } = this.#options;
    for (const hex of this.#hashes) {
      signal.throwIfAborted();
      const proven = join(folder, hex);
      if ((await stat(proven).catch(() => undefined)) === undefined) continue;
      const place = await this.#placeOf(hex, { make: true });
      // What npm has fetched itself stays.
      if (place !== undefined) await symlink(proven, join(npm_cache, place)).catch(() => undefined);
    }
  }

  /** After its end: what npm has fetched, and is what the lock files say, is here from now on. */
  async take(): Promise<void> {
    const { npm_cache, signal } = this.#options;
    for (const hex of this.#hashes) {
      signal.throwIfAborted();
      const place = await this.#placeOf(hex, { make: false });
      if (place !== undefined) await this.#takeFile(hex, join(npm_cache, place));
    }
  }

  /** Copied, since who may write to the original could go on to; it goes, as the copy will be lent. */
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

  /** Where npm keeps an archive, unless a link stands in the way: it would lead us wherever a build wants. */
  async #placeOf(hex: string, { make }: { readonly make: boolean }): Promise<string | undefined> {
    const { folders, file } = placeInNpmCache(hex);
    let at = this.#options.npm_cache;
    for (const name of folders) {
      at = join(at, name);
      if (make) await mkdir(at).catch(() => undefined);
      if ((await lstat(at).catch(() => undefined))?.isDirectory() !== true) return undefined;
    }
    return file;
  }
}

async function* hashesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'latin1' })) {
    const text = rest + String(chunk);
    yield* hashesIn(text);
    // One that the end of the chunk cuts; what is found twice is one.
    rest = text.slice(1 - INTEGRITY_CHARS);
  }
}
