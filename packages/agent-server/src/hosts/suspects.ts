/** More runs than this are never tried again at the same time; what failed for good is forgotten by it. */
const MOST = 1000;
const CERTAIN = 2;

/**
 * Runs that may be why a host stopped answering. They are tried again alone, so that the one at fault ends no
 * other run, and no other run fails twice because of it.
 */
export class Suspects {
  readonly #weights = new Map<string, number>();

  /** It was there when the host fell silent, perhaps as the reason. */
  accuse(run_id: string): void {
    this.#add(run_id, CERTAIN);
  }

  /** By all signs it came too late to be the reason; by chance that can happen once. */
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

  #add(run_id: string, weight: number): void {
    const known = this.#weights.get(run_id) ?? 0;
    this.#weights.delete(run_id);
    this.#weights.set(run_id, known + weight);
    const [oldest] = this.#weights.keys();
    if (this.#weights.size > MOST && oldest !== undefined) this.#weights.delete(oldest);
  }
}
