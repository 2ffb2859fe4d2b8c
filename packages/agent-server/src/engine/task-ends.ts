import type { Task } from '../tasks/task.ts';

type Waiter = (task: Task | undefined) => void;

/** Resolves the waits for tasks to settle; keeps no task itself. */
export class TaskEnds {
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** The task has settled, and that is committed. */
  settle(task: Task): void {
    const waiters = this.#waiting.get(task.id);
    this.#waiting.delete(task.id);
    for (const waiter of waiters ?? []) waiter(task);
  }

  /** Resolves with the task once it settles, or with undefined once the signal is aborted. */
  wait(task_id: string, signal: AbortSignal): { readonly promise: Promise<Task | undefined> } & Disposable {
    const { promise, resolve } = Promise.withResolvers<Task | undefined>();
    const waiters = this.#waiting.get(task_id) ?? new Set();
    this.#waiting.set(task_id, waiters.add(resolve));
    const onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    return {
      promise,
      [Symbol.dispose]: () => {
        signal.removeEventListener('abort', onAbort);
        waiters.delete(resolve);
        if (waiters.size === 0 && this.#waiting.get(task_id) === waiters) this.#waiting.delete(task_id);
      },
    };
  }
}
