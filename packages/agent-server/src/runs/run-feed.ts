import { retryOutages } from './outages.ts';
import type { RunEvent } from './run.ts';

type Listener = (event: RunEvent) => void;

/** Events that wait in memory for a reader; one that is slower reads what it missed from the database. */
const MAX_ARRIVED = 32;
const PAGE = 16;

interface Following {
  readonly after_seq: number;
  readonly stored: (after_seq: number, limit: number) => Promise<readonly RunEvent[] | undefined>;
  readonly signal: AbortSignal;
}

/** Passes committed events to whoever follows a run right now. */
export class RunFeed {
  readonly #listeners = new Map<string, Set<Listener>>();

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  publish(run_id: string, events: readonly RunEvent[]): void {
    const listeners = this.#listeners.get(run_id);
    if (listeners === undefined) return;
    for (const event of events) for (const listener of listeners) listener(event);
  }

  subscribe(run_id: string, listener: Listener): Disposable {
    const listeners = this.#listeners.get(run_id) ?? new Set();
    this.#listeners.set(run_id, listeners.add(listener));
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#listeners.get(run_id) === listeners) this.#listeners.delete(run_id);
      },
    };
  }

  /**
   * The run's committed events after a sequence: first those that are stored, then those that come, each once.
   * `stored` answers at least one where there are any, of `limit` rows at most; undefined where none will follow. Ends with
   * the run's end, or where nothing follows any more.
   */
  async *follow(run_id: string, { after_seq, stored, signal }: Following): AsyncGenerator<RunEvent> {
    const arrived: RunEvent[] = [];
    let last = after_seq;
    let behind = true;
    let wake = () => {};
    using _ = this.subscribe(run_id, (event) => {
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
        let next: readonly RunEvent[] = arrived.splice(0, 1);
        if (behind) {
          // What arrives while this page is read may be in it or not: it is kept, and passed on once.
          behind = false;
          const from = last;
          const page = await retryOutages(() => stored(from, PAGE), { closed: signal });
          if (page === undefined) return;
          next = page;
          behind ||= next.length >= PAGE;
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

const isLast = (event: RunEvent) => event.kind === 'end';
