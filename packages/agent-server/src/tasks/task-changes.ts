/** Wakes readers of a task that asks something, once it continues or ends. */
export class TaskChanges {
  readonly #waiting = new Map<string, Set<() => void>>();

  notify(task_id: string): void {
    for (const wake of this.#waiting.get(task_id) ?? []) wake();
  }

  /** Resolves with the next change from here on, or once the signal is aborted. */
  next(task_id: string, signal: AbortSignal): { readonly promise: Promise<void> } & Disposable {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(task_id) ?? new Set();
    this.#waiting.set(task_id, waiting.add(resolve));
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
    return {
      promise,
      [Symbol.dispose]: () => {
        waiting.delete(resolve);
        if (waiting.size === 0 && this.#waiting.get(task_id) === waiting) this.#waiting.delete(task_id);
      },
    };
  }
}
