import { type Log, pause } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { listQueue } from '../runs/run-store.ts';
import type { RunRow } from '../runs/records.ts';
import type { RunIntake } from './run-intake.ts';
import type { RunSchedule } from './run-schedule.ts';
import type { Suspicions } from './suspicions.ts';

export interface LostRunsOptions {
  readonly db: Database;
  readonly suspicions: Suspicions;
  readonly intake: Pick<RunIntake, 'isHeld' | 'adopt'>;
  readonly schedule: Pick<RunSchedule, 'cancel'>;
  readonly log: Log;
}

const LOOK_MS = 1000;

/**
 * Finds unfinished runs in the database that no engine holds, as after a commit whose answer was lost or an end that
 * could not be written, and cancelled ones that have not heard of it. It looks only after a suspicion, so that an idle
 * engine sends no queries.
 */
export class LostRuns implements AsyncDisposable {
  readonly #options: LostRunsOptions;
  readonly #stop = new AbortController();
  #looking: Promise<void> | undefined;

  constructor(options: LostRunsOptions) {
    this.#options = options;
    options.suspicions.listen(() => this.#wake());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#looking;
  }

  #wake(): void {
    if (!this.#stop.signal.aborted)
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
  }

  /** False for a run that must be looked at again. */
  async #settle(row: RunRow): Promise<boolean> {
    const { intake, schedule } = this.#options;
    if (!intake.isHeld(row.run_id)) await intake.adopt(row);
    // It may have been cancelled while it was adopted, or begun.
    else if (row.cancel !== null) return schedule.cancel(row.run_id, row.cancel);
    return true;
  }

  async #look(): Promise<void> {
    const { db, suspicions, log } = this.#options;
    let looked_for = 0;
    while (looked_for < suspicions.count) {
      await pause(LOOK_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      const { count } = suspicions;
      try {
        let settled = true;
        for (const row of await listQueue(db)) if (!(await this.#settle(row))) settled = false;
        if (settled) looked_for = count;
      } catch (error) {
        log.warn('unfinished runs could not be looked for', { error });
      }
    }
  }
}
