import type { EndedRun } from '../runs/run.ts';

type Waiter = (ended: EndedRun | undefined) => void;

/** Resolves the waits for runs to end; keeps no end itself. */
export class RunEnds {
  readonly #waiting = new Map<string, Set<Waiter>>();
  readonly #listeners = new Set<(ended: EndedRun) => void>();

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Resolves the waits for a run whose end is committed. */
  publish(ended: EndedRun): void {
    const { run_id } = ended.run;
    const waiters = this.#waiting.get(run_id);
    this.#waiting.delete(run_id);
    for (const waiter of waiters ?? []) waiter(ended);
    for (const listener of this.#listeners) listener(ended);
  }

  /** Calls the listener with every end from here on. */
  listen(listener: (ended: EndedRun) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Resolves with the end once it is there, or with undefined once the signal is aborted. */
  wait(
    run_id: string,
    signal: AbortSignal,
  ): { readonly promise: Promise<EndedRun | undefined> } & Disposable {
    const { promise, resolve } = Promise.withResolvers<EndedRun | undefined>();
    const waiters = this.#waiting.get(run_id) ?? new Set();
    this.#waiting.set(run_id, waiters.add(resolve));
    const onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    return {
      promise,
      [Symbol.dispose]: () => {
        signal.removeEventListener('abort', onAbort);
        waiters.delete(resolve);
        if (waiters.size === 0 && this.#waiting.get(run_id) === waiters) this.#waiting.delete(run_id);
      },
    };
  }
}
