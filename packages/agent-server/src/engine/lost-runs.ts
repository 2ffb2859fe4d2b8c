import { type Database, type Log, pause } from '@roadstead/kit';
import { listQueue } from '../runs/run-store.ts';
import type { CancelRecord, RunRow } from '../runs/records.ts';

export interface LostRunsOptions {
  readonly db: Database;
  /** Whether this engine holds the run, or is about to. */
  readonly isHeld: (row: RunRow) => boolean;
  readonly adopt: (row: RunRow) => Promise<void>;
  /** Ends a held run that is marked as cancelled; false where it is not here yet. */
  readonly cancel: (run_id: string, cancel: CancelRecord) => boolean;
  readonly log: Log;
}

const LOOK_MS = 1000;

/**
 * Finds unfinished runs in the database that no engine holds, as after a commit whose answer was lost or an end that
 * could not be written, and cancelled ones that have not heard of it. It looks only after `suspect`, so that an idle
 * engine sends no queries.
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

  /** False for a run that must be looked at again. */
  async #settle(row: RunRow): Promise<boolean> {
    const { isHeld, adopt, cancel } = this.#options;
    if (!isHeld(row)) await adopt(row);
    // It may have been cancelled while it was adopted, or begun.
    else if (row.cancel !== null) return cancel(row.run_id, row.cancel);
    return true;
  }

  async #look(): Promise<void> {
    const { db, log } = this.#options;
    let looked_for = 0;
    while (looked_for < this.#suspicions) {
      await pause(LOOK_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      const suspicions = this.#suspicions;
      try {
        let settled = true;
        for (const row of await listQueue(db)) if (!(await this.#settle(row))) settled = false;
        if (settled) looked_for = suspicions;
      } catch (error) {
        log.warn('unfinished runs could not be looked for', { error });
      }
    }
  }
}
