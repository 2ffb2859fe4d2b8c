import { isOutage, type Log } from '@roadstead/kit';
import { type Database, isTooSlow } from '@roadstead/postgres';
import {
  type StorageLevel,
  storageFull,
  storageLevelOf,
  type StorageTrouble,
  storageTroubleOf,
  shownBytes,
} from './storage-quota-rules.ts';
import { readDatabaseBytes, readSpareBytes } from './storage-store.ts';

export interface StorageQuotaOptions {
  readonly db: Database;
  /** Called whenever the trouble changes. */
  readonly onTrouble: (trouble: StorageTrouble | undefined) => void;
  /** For the deployment's log. */
  readonly onNotice: (level: 'INFO' | 'WARNING' | 'ERROR', message: string) => void;
  readonly log: Log;
  /** The pauses between two looks at the size: while there is room, and while there is none. */
  readonly look_ms?: { readonly free: number; readonly full: number };
}

const LOOK_MS = { free: 60_000, full: 10_000 };

/**
 * The quota on the database of a deployment. Its size is looked at now and then, and not by each run, so that a run may
 * go a little beyond it. PostgreSQL keeps the files of what was deleted, and fills them again before they grow: so what
 * is deleted does not count.
 */
export class StorageQuota implements AsyncDisposable {
  readonly #options: StorageQuotaOptions;
  #quota_bytes: number | undefined;
  #level: StorageLevel = 'free';
  #trouble: StorageTrouble | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  readonly #closed = new AbortController();

  constructor(options: StorageQuotaOptions) {
    this.#options = options;
  }

  /** Sets the quota; undefined: there is none. */
  set(quota_bytes: number | undefined): void {
    if (quota_bytes === this.#quota_bytes) return;
    this.#quota_bytes = quota_bytes;
    if (quota_bytes === undefined) this.#become('free');
    else this.#lookIn(0);
  }

  /** @throws Problem `limit` while the database takes all of its quota */
  requireRoom(): void {
    if (this.#level === 'full' && this.#quota_bytes !== undefined) throw storageFull(this.#quota_bytes);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
        const { look_ms = LOOK_MS } = this.#options;
        if (this.#quota_bytes !== undefined) this.#lookIn(look_ms[this.#level === 'full' ? 'full' : 'free']);
      });
    }, ms).unref();
  }

  /** An outage is waited out: until then what was known holds. */
  async #look(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#measure();
    } catch (error) {
      if (!this.#closed.signal.aborted && !isOutage(error))
        log.warn('the size of the database could not be read', { error });
    }
  }

  async #measure(): Promise<void> {
    const files = await readDatabaseBytes(this.#options.db);
    const bytes = this.#levelOf(files) === 'free' ? files : files - (await this.#readSpare());
    if (this.#quota_bytes !== undefined) this.#become(this.#levelOf(bytes), bytes);
  }

  #levelOf(bytes: number): StorageLevel {
    const quota_bytes = this.#quota_bytes ?? Infinity;
    return storageLevelOf({ bytes, quota_bytes, before: this.#level });
  }

  /** What cannot be counted in time is not spare, so that the quota holds. */
  async #readSpare(): Promise<number> {
    const { db, log } = this.#options;
    return readSpareBytes(db, this.#closed.signal).catch((error: unknown) => {
      if (!isTooSlow(error)) throw error;
      log.warn('the rows of the database could not be counted in time: all of its files count', { error });
      return 0;
    });
  }

  #become(level: StorageLevel, bytes = 0): void {
    const { onTrouble, onNotice } = this.#options;
    const before = this.#level;
    this.#level = level;
    const trouble = storageTroubleOf(level, this.#quota_bytes ?? 0);
    if (trouble?.message === this.#trouble?.message) return;
    this.#trouble = trouble;
    const taken = `It takes ${shownBytes(bytes)}.`;
    if (trouble !== undefined)
      onNotice(level === 'full' ? 'ERROR' : 'WARNING', `${trouble.message} ${taken} ${trouble.hint}`);
    if (before === 'full' && level !== 'full')
      onNotice('INFO', 'The database of the deployment has room again: runs begin.');
    onTrouble(trouble);
  }
}
