import { Fifo, Problem } from '@roadstead/kit';
import { retryOutages } from '../database/outages.ts';
import type { Reader, RunEvent } from '../runs/run.ts';
import { weightOfEvent } from './weight.ts';

type Listener = (event: RunEvent, weight: number) => void;

/** The bytes of events that wait in memory for a reader; a slower one reads what it missed from the database. */
const MAX_ARRIVED_BYTES = 262_144;
/** The bytes by which a reader may be behind before it is cut off. */
const MAX_BEHIND_BYTES = 8 * 1024 * 1024;

interface FeedOptions extends Reader {
  readonly after_seq: number;
  readonly stored: (after_seq: number) => Promise<StoredPage | undefined>;
}

/** One page of stored events. */
interface StoredPage {
  readonly events: readonly RunEvent[];
  /** Whether further events may be stored. */
  readonly has_more: boolean;
}

/** Passes committed events to the readers of a run. */
export class RunFeed {
  readonly #listeners = new Map<string, Set<Listener>>();

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  publish(run_id: string, events: readonly RunEvent[]): void {
    const listeners = this.#listeners.get(run_id);
    if (listeners === undefined) return;
    for (const event of events) {
      const weight = weightOfEvent(event, MAX_BEHIND_BYTES);
      for (const listener of listeners) listener(event, weight);
    }
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
   * The run's committed events after a sequence: first the stored ones, then those that come, each once. `stored`
   * answers at least one where there are any, and undefined where none will follow. Ends with the run's end, or where
   * nothing more follows.
   * @throws Problem `unavailable` for a reader that is too far behind and can be told so
   */
  async *follow(
    run_id: string,
    { after_seq, stored, signal, onBehind }: FeedOptions,
  ): AsyncGenerator<RunEvent> {
    const unread = new Unread(after_seq);
    let wake = () => {};
    using _ = this.subscribe(run_id, (event, weight) => {
      if (unread.add({ event, weight }) && onBehind !== undefined) unread.cut(onBehind);
      wake();
    });
    const onAbort = () => wake();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        unread.throwIfCut();
        let next: readonly FeedItem[];
        if (unread.has_missed) {
          // An event that arrives while this page is read may be in it: it is kept, and passed on once.
          unread.has_missed = false;
          const page = await retryOutages(() => stored(unread.last), { closed: signal });
          if (page === undefined) return;
          next = page.events.map((event) => ({ event }));
          unread.has_missed ||= page.has_more;
        } else next = unread.take();
        if (unread.is_empty && next.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (!unread.is_empty || signal.aborted) resolve();
          });
        for (const one of next) {
          const { event } = one;
          if (event.seq <= unread.last) continue;
          unread.throwIfCut();
          unread.taken(one);
          yield event;
          if (isLast(event)) return;
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
}

interface FeedItem {
  readonly event: RunEvent;
  /** Absent for events from the database. */
  readonly weight?: number;
}

/**
 * The events that were published since a reader came and that it has not taken: some of them are here, all of them in
 * the database.
 */
class Unread {
  /** The number of the last event that the reader took. */
  last: number;
  /** Whether something is in the database only. */
  has_missed = true;
  readonly #arrived = new Fifo<Required<FeedItem>>();
  #arrived_bytes = 0;
  /** The weight of the events from a first number to the newest, less those taken. */
  #bytes = 0;
  #first: number | undefined;
  #newest = 0;
  #is_cut = false;

  constructor(last: number) {
    this.last = last;
  }

  get is_empty(): boolean {
    return this.#arrived.length === 0 && !this.has_missed;
  }

  /** Adds an event; true if the reader was too far behind before. */
  add(one: Required<FeedItem>): boolean {
    const { seq } = one.event;
    // The database had it before it was published.
    if (seq <= this.last) return false;
    const was_behind = this.#bytes > MAX_BEHIND_BYTES;
    this.#first ??= seq;
    this.#newest = seq;
    this.#bytes += one.weight;
    this.has_missed ||= this.#arrived_bytes > MAX_ARRIVED_BYTES;
    if (this.has_missed) this.#forget();
    else {
      this.#arrived.push(one);
      this.#arrived_bytes += one.weight;
    }
    return was_behind;
  }

  take(): readonly FeedItem[] {
    const first = this.#arrived.take();
    if (first === undefined) return [];
    this.#arrived_bytes -= first.weight;
    return [first];
  }

  taken({ event, weight }: FeedItem): void {
    const { seq } = event;
    this.last = seq;
    if (this.#first !== undefined && seq >= this.#first && seq <= this.#newest)
      this.#bytes -= weight ?? weightOfEvent(event, MAX_BEHIND_BYTES);
  }

  cut(notify: () => void): void {
    if (this.#is_cut) return;
    this.#is_cut = true;
    this.has_missed = true;
    this.#forget();
    notify();
  }

  throwIfCut(): void {
    if (this.#is_cut)
      throw new Problem(
        'unavailable',
        'The reader of this stream was more than 8 MB behind: take it up again after the last event that came.',
      );
  }

  #forget(): void {
    this.#arrived.takeAll();
    this.#arrived_bytes = 0;
  }
}

const isLast = (event: RunEvent) => event.kind === 'end';
