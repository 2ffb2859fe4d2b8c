import type { AttemptRef, RunResult } from '@roadstead/contracts/host';
import { Fifo } from '@roadstead/kit';
import type { Job } from './graph-host.ts';

/** An outcome that no run caused: the engine tries the run again. */
export const LATER: RunResult = { outcome: 'cancelled', reason: 'drain' };

/** Whether runs may share a host, or are tried on one of their own. */
export type HostUse = 'shared' | 'alone';

/**
 * Attempts that wait for a host; no more than the engine's room lets there become. The next one is of the caller with the
 * fewest on hosts, and of equals of the one served longest ago: a caller that begins thousands at once lets the others pass.
 */
export class WaitingJobs {
  /** Jobs by caller; the one served longest ago comes first. */
  readonly #waiting: Readonly<Record<HostUse, Map<string, Fifo<Job>>>> = {
    shared: new Map(),
    alone: new Map(),
  };
  /** How many each caller has on hosts. */
  readonly #given = new Map<string, number>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  has(sharing: HostUse): boolean {
    return this.#waiting[sharing].size > 0;
  }

  push(job: Job): void {
    const callers = this.#waiting[job.alone ? 'alone' : 'shared'];
    const jobs = callers.get(job.principal) ?? new Fifo<Job>();
    jobs.push(job);
    callers.set(job.principal, jobs);
    this.#length += 1;
  }

  /** The next one, which counts for its caller until it is settled. */
  take(sharing: HostUse): Job | undefined {
    const callers = this.#waiting[sharing];
    const principal = this.#next(callers);
    const jobs = principal === undefined ? undefined : callers.get(principal);
    const job = jobs?.take();
    if (principal === undefined || jobs === undefined || job === undefined) return undefined;
    this.#length -= 1;
    callers.delete(principal);
    if (jobs.length > 0) callers.set(principal, jobs);
    return this.#counted(job);
  }

  cancel({ run_id }: AttemptRef): void {
    for (const callers of Object.values(this.#waiting))
      for (const [principal, jobs] of callers) {
        const job = jobs.remove(({ params }) => params.run_id === run_id);
        if (job === undefined) continue;
        this.#length -= 1;
        if (jobs.length === 0) callers.delete(principal);
        job.resolve({ outcome: 'cancelled', reason: 'cancel' });
      }
  }

  /** Hands back the waiting jobs, which are tried elsewhere. */
  sendAway(): void {
    const { shared, alone } = this.#waiting;
    const jobs = [...shared.values(), ...alone.values()].flatMap((some) => some.takeAll());
    shared.clear();
    alone.clear();
    this.#length = 0;
    for (const job of jobs) job.resolve(LATER);
  }

  #next(callers: ReadonlyMap<string, unknown>): string | undefined {
    let next: { readonly principal: string; readonly given: number } | undefined;
    for (const principal of callers.keys()) {
      const given = this.#given.get(principal) ?? 0;
      if (next === undefined || given < next.given) next = { principal, given };
    }
    return next?.principal;
  }

  #counted(job: Job): Job {
    const { principal } = job;
    this.#given.set(principal, (this.#given.get(principal) ?? 0) + 1);
    let isCounted = true;
    const settled = () => {
      if (!isCounted) return;
      isCounted = false;
      const left = (this.#given.get(principal) ?? 1) - 1;
      if (left === 0) this.#given.delete(principal);
      else this.#given.set(principal, left);
    };
    return {
      ...job,
      resolve: (outcome) => {
        settled();
        job.resolve(outcome);
      },
      reject: (error) => {
        settled();
        job.reject(error);
      },
    };
  }
}
