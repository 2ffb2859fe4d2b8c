import { faultOf, type HostEnd } from './host-rules.ts';
import { FEW_RUNS, mostAfterDeath } from './capacity-rules.ts';

/** More runs than this are never tried again at the same time; what failed for good is forgotten by it. */
const MOST = 1000;
const CERTAIN = 2;
/** How long hosts take few runs after many were there when one ended: longer than it takes to find out again. */
const CAREFUL_MS = 180_000;

/**
 * Runs that may be why a host stopped answering, or had to be ended. They are tried again alone, so that the one at fault ends no
 * other run, and no other run fails twice because of it.
 */
export class Suspects {
  readonly #weights = new Map<string, number>();
  #careful = { most: Infinity, until_ms: 0 };

  /** How many runs a host takes for a while, after one of many runs has ended it. */
  careful<L extends { readonly jobs_per_host: number }>(limits: L): L {
    const { most, until_ms } = this.#careful;
    if (Date.now() >= until_ms) return limits;
    return { ...limits, jobs_per_host: Math.min(most, limits.jobs_per_host) };
  }

  /** A host with these runs ended. Undefined where it is not known which of them was at fault. */
  ended<J extends { readonly params: { readonly run_id: string } }>(
    end: HostEnd,
    jobs: readonly J[],
  ): { readonly spared: readonly J[] } | undefined {
    const run_ids = jobs.map(({ params }) => params.run_id);
    const fault = faultOf(end, run_ids);
    if (fault === 'any') this.#suspect(run_ids);
    if (typeof fault === 'string') return undefined;
    this.accuse(fault.run_id);
    return { spared: jobs.filter(({ params }) => params.run_id !== fault.run_id) };
  }

  /** It was there when the host fell silent, perhaps as the reason. */
  accuse(run_id: string): void {
    this.#add(run_id, CERTAIN);
  }

  /** Notes a run that seems to have come too late to be the reason; by chance that can happen once. */
  notice(run_id: string): void {
    this.#add(run_id, 1);
  }

  has(run_id: string): boolean {
    return (this.#weights.get(run_id) ?? 0) >= CERTAIN;
  }

  /** It has ended. */
  clear(run_id: string): void {
    this.#weights.delete(run_id);
  }

  /**
   * A host ended for what one of these did. Of few, each is tried alone; alone many would take long, so that they are tried
   * again among few first.
   */
  #suspect(run_ids: readonly string[]): void {
    const are_few = run_ids.length <= FEW_RUNS;
    for (const run_id of run_ids) this.#add(run_id, are_few ? CERTAIN : 1);
    if (!are_few) this.#careful = { most: mostAfterDeath(run_ids.length), until_ms: Date.now() + CAREFUL_MS };
  }

  #add(run_id: string, weight: number): void {
    const known = this.#weights.get(run_id) ?? 0;
    this.#weights.delete(run_id);
    this.#weights.set(run_id, known + weight);
    const [oldest] = this.#weights.keys();
    if (this.#weights.size > MOST && oldest !== undefined) this.#weights.delete(oldest);
  }
}
