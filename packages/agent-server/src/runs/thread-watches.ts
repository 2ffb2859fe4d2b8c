/** A reader's watch on a thread. */
export interface ThreadWatch extends Disposable {
  /**
   * Resolves once something has changed since the watch began or since the last call; false when no more notifications
   * come.
   */
  next(): Promise<boolean>;
}

/** Wakes readers of a thread: a run has begun or ended, or the state has changed. */
export class ThreadWatches {
  readonly #watching = new Map<string, Set<() => void>>();

  notify(thread_id: string): void {
    for (const onChange of this.#watching.get(thread_id) ?? []) onChange();
  }

  watch(thread_id: string, signal: AbortSignal): ThreadWatch {
    let has_changed = false;
    let wake = () => {};
    const onAbort = () => wake();
    const onChange = () => {
      has_changed = true;
      wake();
    };
    const watching = this.#watching.get(thread_id) ?? new Set();
    this.#watching.set(thread_id, watching.add(onChange));
    signal.addEventListener('abort', onAbort);
    return {
      async next() {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (has_changed || signal.aborted) resolve();
        });
        has_changed = false;
        return !signal.aborted;
      },
      [Symbol.dispose]: () => {
        signal.removeEventListener('abort', onAbort);
        watching.delete(onChange);
        if (watching.size === 0 && this.#watching.get(thread_id) === watching)
          this.#watching.delete(thread_id);
      },
    };
  }
}
