/** What a reader of a thread waits for. */
export interface ThreadWatch extends Disposable {
  /** Resolves once something has changed since the watch began, or was asked last; false when nothing is told any more. */
  next(): Promise<boolean>;
}

/** Wakes whoever reads a thread: a run of it has begun or ended, or its state is another. */
export class ThreadWatches {
  readonly #watching = new Map<string, Set<() => void>>();

  tell(thread_id: string): void {
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
