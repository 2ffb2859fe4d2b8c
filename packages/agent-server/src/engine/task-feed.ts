import { isSettled, type TaskEvent } from '../tasks/task.ts';
import { retryOutages } from './outages.ts';

type Listener = (event: TaskEvent) => void;

/** Events that wait in memory for a reader; one that is slower reads what it missed from the database. */
const MAX_ARRIVED = 32;
const PAGE = 64;

interface Following {
  readonly after_seq: number;
  readonly stored: (after_seq: number, limit: number) => Promise<readonly TaskEvent[]>;
  readonly signal: AbortSignal;
}

/** Passes committed events to whoever reads a task right now. */
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
   * `stored` answers `limit` of them at most. Ends with the one that settles the task.
   */
  async *follow(task_id: string, { after_seq, stored, signal }: Following): AsyncGenerator<TaskEvent> {
    const arrived: TaskEvent[] = [];
    let last = after_seq;
    let behind = true;
    let wake = () => {};
    using _ = this.subscribe(task_id, (event) => {
      if (arrived.push(event) > MAX_ARRIVED) {
        // Each is committed, so that the reader finds it there.
        arrived.length = 0;
        behind = true;
      }
      wake();
    });
    const onAbort = () => wake();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        let next: readonly TaskEvent[] = arrived.splice(0, 1);
        if (behind) {
          // What arrives while this page is read may be in it or not: it is kept, and passed on once.
          behind = false;
          const from = last;
          next = await retryOutages(() => stored(from, PAGE), { closed: signal });
          behind ||= next.length === PAGE;
        } else if (next.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (arrived.length > 0 || behind || signal.aborted) resolve();
          });
        for (const event of next) {
          if (event.seq <= last) continue;
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
