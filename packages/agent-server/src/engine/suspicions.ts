/**
 * Counts the reasons to look for unfinished runs that no engine holds. A caller that does not know whether a commit succeeded
 * raises one, and need not know who looks (`LostRuns`).
 */
export class Suspicions {
  #count = 0;
  #onRaised: () => void = () => undefined;

  get count(): number {
    return this.#count;
  }

  raise(): void {
    this.#count += 1;
    this.#onRaised();
  }

  /** Calls the listener, the only one, at each from here on. */
  listen(listener: () => void): void {
    this.#onRaised = listener;
  }
}
