import type { AttemptRef, RunResult } from '@roadstead/contracts/host';
import { Fifo } from '@roadstead/kit';
import type { Job } from './graph-host.ts';

/** What the engine tries again, since no run caused it. */
export const LATER: RunResult = { outcome: 'cancelled', reason: 'drain' };

/** Attempts that wait for a host; no more than the engine's room lets there become. */
export class WaitingJobs {
  readonly #shared = new Fifo<Job>();
  /** Those that are tried on a host of their own. */
  readonly #alone = new Fifo<Job>();

  get length(): number {
    return this.#shared.length + this.#alone.length;
  }

  get shared(): Job | undefined {
    return this.#shared.first;
  }

  get alone(): Job | undefined {
    return this.#alone.first;
  }

  push(job: Job): void {
    (job.alone ? this.#alone : this.#shared).push(job);
  }

  /** The first of its kind has a host. */
  take({ alone }: Job): void {
    (alone ? this.#alone : this.#shared).take();
  }

  cancel({ run_id }: AttemptRef): void {
    for (const jobs of [this.#shared, this.#alone]) {
      const job = jobs.remove(({ params }) => params.run_id === run_id);
      job?.resolve({ outcome: 'cancelled', reason: 'cancel' });
    }
  }

  /** What waits is tried elsewhere. */
  sendAway(): void {
    for (const job of [...this.#shared.takeAll(), ...this.#alone.takeAll()]) job.resolve(LATER);
  }
}
