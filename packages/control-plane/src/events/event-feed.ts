import type { Event } from '@roadstead/contracts/control-plane';
import type { Database } from '@roadstead/postgres';
import { type EventFilter, isWanted } from './event-rules.ts';
import { listEvents, listPublished, type PublishedEvent, readHead } from './event-store.ts';

/** Sends published events to many readers of this process, by one query for all of them. */

const AT_ONCE = 500;
const PAGE = 100;
/** Events that wait for a reader in memory; a slower reader reads them from the database. */
const HELD = 256;

export interface EventFeedQuery {
  readonly workspace_id: string;
  readonly filter: EventFilter;
  /** The number after which it begins; absent: from now on. With `since` in the filter: from the first. */
  readonly after: number | undefined;
}

export class EventFeed {
  readonly #db: Database;
  readonly #readers = new Set<Reader>();
  /** Everything up to this number was sent to the readers; undefined while there are none. */
  #head: number | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Sends the readers the events that were published since. */
  async advance(): Promise<void> {
    for (;;) {
      const after = this.#head;
      if (after === undefined) return;
      const events = await listPublished(this.#db, { after, limit: AT_ONCE });
      // Meanwhile the readers have changed, or another call was faster.
      if (this.#head !== after) return;
      for (const event of events) for (const reader of this.#readers) reader.give(event);
      this.#head = Number(events.at(-1)?.id ?? after);
      if (events.length < AT_ONCE) return;
    }
  }

  /** Every matching event, in order and once, until the signal. Nothing is read before it is asked for. */
  async *follow({ workspace_id, filter, after }: EventFeedQuery, signal: AbortSignal): AsyncGenerator<Event> {
    const found = this.#head ?? (await readHead(this.#db));
    // A head that was set meanwhile wins: it may be smaller, and the events after it are still to be sent.
    const head = (this.#head ??= found);
    const reader = new Reader((event) => event.workspace_id === workspace_id && isWanted(filter, event));
    this.#readers.add(reader);
    try {
      let last = after ?? (filter.since === undefined ? head : 0);
      while (!signal.aborted) {
        // Events published from here on are held in memory; earlier ones are in the database.
        reader.begin();
        for (let page = PAGE; page === PAGE && !signal.aborted;) {
          const events = await listEvents(this.#db, workspace_id, {
            ...filter,
            order: 'asc',
            beyond: last,
            limit: PAGE,
          });
          for (const event of events) {
            yield event;
            last = Number(event.id);
          }
          page = events.length;
        }
        for (let event = await reader.next(signal); event !== undefined; event = await reader.next(signal)) {
          if (Number(event.id) <= last) continue;
          yield event;
          last = Number(event.id);
        }
      }
    } finally {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#head = undefined;
    }
  }
}

class Reader {
  readonly #wants: (event: PublishedEvent) => boolean;
  #held: Event[] = [];
  #missed = false;
  #wake: () => void = () => undefined;

  constructor(wants: (event: PublishedEvent) => boolean) {
    this.#wants = wants;
  }

  begin(): void {
    this.#missed = false;
  }

  give(event: PublishedEvent): void {
    if (this.#missed || !this.#wants(event)) return;
    if (this.#held.length < HELD) {
      const { workspace_id: _, ...shown } = event;
      this.#held.push(shown);
    } else {
      this.#held = [];
      this.#missed = true;
    }
    this.#wake();
  }

  /** Undefined when the signal aborts, or when some events were missed. */
  async next(signal: AbortSignal): Promise<Event | undefined> {
    while (this.#held.length === 0 && !this.#missed && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      signal.addEventListener('abort', this.#wake, { once: true });
      await promise;
      signal.removeEventListener('abort', this.#wake);
    }
    return this.#missed || signal.aborted ? undefined : this.#held.shift();
  }
}
