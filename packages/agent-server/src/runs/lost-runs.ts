import { type Database, type Log, pause } from '@roadstead/kit';
import { listQueue } from './run-store.ts';
import type { RunRow } from './records.ts';

export interface LostRunsOptions {
  readonly db: Database;
  /** Whether this engine holds the run, or is about to. */
  readonly isHeld: (row: RunRow) => boolean;
  readonly adopt: (row: RunRow) => Promise<void>;
  readonly log: Log;
}

const LOOK_MS = 1000;

/**
 * Finds unfinished runs that stand in the database and that nobody here holds, as after a commit whose answer was lost or
 * an end that could not be written. Looks only after `suspect`, so that an idle engine sends no queries.
 */
export class LostRuns implements AsyncDisposable {
  readonly #options: LostRunsOptions;
  readonly #stop = new AbortController();
  #suspicions = 0;
  #looking: Promise<void> | undefined;

  constructor(options: LostRunsOptions) {
    this.#options = options;
  }

  suspect(): void {
    this.#suspicions += 1;
    if (!this.#stop.signal.aborted)
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { db, isHeld, adopt, log } = this.#options;
    let looked_for = 0;
    while (looked_for < this.#suspicions) {
      await pause(LOOK_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      const suspicions = this.#suspicions;
      try {
        for (const row of await listQueue(db)) if (!isHeld(row)) await adopt(row);
        looked_for = suspicions;
      } catch (error) {
        log.warn('unfinished runs could not be looked for', { error });
      }
    }
  }
}
