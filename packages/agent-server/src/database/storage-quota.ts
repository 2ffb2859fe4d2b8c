import { isOutage, type Log } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import {
  type StorageLevel,
  storageFull,
  storageLevelOf,
  type StorageTrouble,
  storageTroubleOf,
  shownBytes,
  tablesToCompact,
} from './storage-quota-rules.ts';
import { compactTable, listTableUses, readDatabaseBytes } from './storage-store.ts';

export interface StorageQuotaOptions {
  readonly db: Database;
  /** Whether a run is under way: then no table is written anew. */
  readonly isBusy: () => boolean;
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
 * go a little beyond it. PostgreSQL keeps the files of what was deleted: while there is no room, tables from which
 * enough was deleted are written anew.
 */
export class StorageQuota implements AsyncDisposable {
  readonly #options: StorageQuotaOptions;
  #quota_bytes: number | undefined;
  #level: StorageLevel = 'free';
  #trouble: StorageTrouble | undefined;
  /** How many rows had been deleted from each table when it was last written anew. */
  readonly #compacted = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #is_closed = false;

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
    this.#is_closed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#is_closed) return;
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
      if (!isOutage(error)) log.warn('the size of the database could not be read', { error });
    }
  }

  async #measure(): Promise<void> {
    const { db } = this.#options;
    let bytes = await readDatabaseBytes(db);
    if (this.#isAbove(bytes) && (await this.#compact())) bytes = await readDatabaseBytes(db);
    const quota_bytes = this.#quota_bytes;
    if (quota_bytes === undefined) return;
    this.#become(storageLevelOf({ bytes, quota_bytes, before: this.#level }), bytes);
  }

  #isAbove(bytes: number): boolean {
    return this.#quota_bytes !== undefined && bytes >= this.#quota_bytes;
  }

  /** False where there was nothing to give back, or a run is under way. */
  async #compact(): Promise<boolean> {
    const { db, isBusy, log } = this.#options;
    const tables = isBusy() ? [] : tablesToCompact(await listTableUses(db), this.#compacted);
    for (const table of tables) {
      if (this.#is_closed) break;
      await compactTable(db, table);
      this.#compacted.set(table.name, table.deleted);
      log.info('a table was written anew', { table: table.name });
    }
    return tables.length > 0;
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
