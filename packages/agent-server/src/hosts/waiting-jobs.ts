import type { AttemptRef, RunResult } from '@roadstead/contracts/host';
import type { Job } from './graph-host.ts';

/** What the engine tries again, since no run caused it. */
export const LATER: RunResult = { outcome: 'cancelled', reason: 'drain' };

/** Attempts that wait for a host; no more than the engine's room lets there become. */
export class WaitingJobs {
  readonly #shared: Job[] = [];
  /** Those that are tried on a host of their own. */
  readonly #alone: Job[] = [];

  get length(): number {
    return this.#shared.length + this.#alone.length;
  }

  get shared(): Job | undefined {
    return this.#shared[0];
  }

  get alone(): Job | undefined {
    return this.#alone[0];
  }

  push(job: Job): void {
    (job.alone ? this.#alone : this.#shared).push(job);
  }

  /** The first of its kind has a host. */
  shift({ alone }: Job): void {
    (alone ? this.#alone : this.#shared).shift();
  }

  cancel({ run_id }: AttemptRef): void {
    for (const jobs of [this.#shared, this.#alone]) {
      const at = jobs.findIndex(({ params }) => params.run_id === run_id);
      const [job] = at < 0 ? [] : jobs.splice(at, 1);
      job?.resolve({ outcome: 'cancelled', reason: 'cancel' });
    }
  }

  /** What waits is tried elsewhere. */
  sendAway(): void {
    for (const job of [...this.#shared.splice(0), ...this.#alone.splice(0)]) job.resolve(LATER);
  }
}
