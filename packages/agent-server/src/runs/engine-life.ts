import type { Database } from '@roadstead/postgres';
import { retryOutages } from '../database/outages.ts';
import { isCurrent, takeEpoch } from './run-store.ts';

/**
 * The life of an engine. It begins when the engine raises the epoch in the database, and it is over when another engine
 * raises it again. A part that learns of that, by a refused statement or by looking, ends it here; each part that depends on it
 * listens to `replaced`.
 */
export class EngineLife {
  readonly db: Database;
  /** The number of this life; the database refuses writes of earlier ones. */
  readonly epoch: number;
  readonly #closing = new AbortController();
  readonly #replaced = new AbortController();
  readonly #closed = new AbortController();

  static async begin(db: Database, signal?: AbortSignal): Promise<EngineLife> {
    return new EngineLife(db, await takeEpoch(db, signal));
  }

  private constructor(db: Database, epoch: number) {
    this.db = db;
    this.epoch = epoch;
  }

  /** Aborted when nothing new begins any more. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborted when another engine has the database. */
  get replaced(): AbortSignal {
    return this.#replaced.signal;
  }

  /** Aborted when the database is not waited for any more. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Another engine has the database. */
  end(): void {
    this.beginClosing();
    this.#replaced.abort();
  }

  /** Checks whether another engine has the database by now. */
  async check(): Promise<void> {
    if (!(await isCurrent(this.db, this.epoch))) this.end();
  }

  /** From here on nothing new begins; what is unfinished stays in the queue for the next life. */
  beginClosing(): void {
    this.#closing.abort();
  }

  /** From here on an outage of the database is not waited out any more. */
  close(): void {
    this.#closed.abort();
  }

  /** Repeats a query until the outage of the database has passed; the query may be done twice. */
  retry<T>(query: () => Promise<T>): Promise<T> {
    return retryOutages(query, { closed: this.closed });
  }
}
