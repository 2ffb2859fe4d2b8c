import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { listSource } from './pack.ts';

/** An editor writes a file in several steps, and git checks a branch out file by file. */
const QUIET_MS = 40;
const LONGEST_MS = 500;

/**
 * Notices changes below a folder in files that would be deployed: files that the ignore files exclude are not
 * watched. A change while nobody waits is reported to the next caller at once.
 */
export class SourceWatch implements Disposable {
  readonly #folder: string;
  readonly #watchers = new Map<string, FSWatcher>();
  #changed = Promise.withResolvers<void>();
  #last = 0;
  #isClosed = false;

  static async open(folder: string): Promise<SourceWatch> {
    const opened = new SourceWatch(folder);
    await opened.#look();
    return opened;
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Waits until something has changed, and then for a quiet moment. */
  async next(signal: AbortSignal): Promise<void> {
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    signal.throwIfAborted();
    await Promise.race([this.#changed.promise, ended]);
    const latest = Date.now() + LONGEST_MS;
    while (Date.now() - this.#last < QUIET_MS && Date.now() < latest)
      await setTimeout(QUIET_MS - (Date.now() - this.#last), undefined, { signal });
    this.#changed = Promise.withResolvers();
    // Before the files are read, so that later changes are noticed.
    await this.#look();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches the folders that exist now. */
  async #look(): Promise<void> {
    const folders = new Set((await listSource(this.#folder)).folders);
    // It was closed meanwhile; a watcher that is opened now would keep the process from ending.
    if (this.#isClosed) return;
    for (const [name, watcher] of this.#watchers) {
      if (folders.has(name)) continue;
      watcher.close();
      this.#watchers.delete(name);
    }
    for (const name of folders) if (!this.#watchers.has(name)) this.#watch(name);
  }

  #watch(name: string): void {
    const forget = () => {
      this.#watchers.delete(name);
      this.#tell();
    };
    try {
      const watcher = watch(join(this.#folder, name), () => this.#tell());
      watcher.on('error', forget);
      this.#watchers.set(name, watcher);
    } catch {
      // It was removed meanwhile; the folder around it notices.
    }
  }

  #tell(): void {
    this.#last = Date.now();
    this.#changed.resolve();
  }
}
