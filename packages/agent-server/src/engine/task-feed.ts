import { isSettled, type TaskEvent } from '../tasks/task.ts';

type Listener = (event: TaskEvent) => void;

/** Tells committed events to whoever reads a task right now. */
export class TaskFeed {
  readonly #listeners = new Map<string, Set<Listener>>();

  publish(task_id: string, events: readonly TaskEvent[]): void {
    const listeners = this.#listeners.get(task_id);
    if (listeners === undefined) return;
    for (const event of events) for (const listener of listeners) listener(event);
  }

  subscribe(task_id: string, listener: Listener): Disposable {
    const listeners = this.#listeners.get(task_id) ?? new Set();
    this.#listeners.set(task_id, listeners.add(listener));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#listeners.get(task_id) === listeners)
          this.#listeners.delete(task_id);
      },
    };
  }

  /**
   * The task's committed events after a sequence: first those that are stored, then those that come, each once.
   * Ends with the one that settles the task.
   */
  async *follow(
    task_id: string,
    after_seq: number,
    stored: () => Promise<readonly TaskEvent[]>,
    signal: AbortSignal,
  ): AsyncGenerator<TaskEvent> {
    const arrived: TaskEvent[] = [];
    let wake = () => {};
    using _ = this.subscribe(task_id, (event) => {
      arrived.push(event);
      wake();
    });
    const onAbort = () => wake();
    signal.addEventListener('abort', onAbort);
    try {
      let last = after_seq;
      const past = await stored();
      for (const event of past) {
        last = event.seq;
        yield event;
        if (isLast(event)) return;
      }
      while (!signal.aborted) {
        const event = arrived.shift();
        if (event === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (arrived.length > 0 || signal.aborted) resolve();
          });
        } else if (event.seq > last) {
          last = event.seq;
          yield event;
          if (isLast(event)) return;
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

const isLast = (event: TaskEvent) => event.kind === 'status' && isSettled(event.status.state);
