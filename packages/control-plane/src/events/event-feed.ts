import type { Event } from '@roadstead/contracts/control-plane';
import type { Database } from '@roadstead/kit';
import { type EventFilter, isWanted } from './event-rules.ts';
import { listEvents, listPublished, type PublishedEvent, readHead } from './event-store.ts';

/** Tells many readers of this process what is published, by one query for all of them. */

const AT_ONCE = 500;
const PAGE = 100;
/** What waits for a reader in memory; one that is slower than this reads it from the database. */
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
  /** Everything up to this number was given to the readers; undefined while there are none. */
  #head: number | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Gives the readers what was published since. */
  async advance(): Promise<void> {
    for (;;) {
      const after = this.#head;
      if (after === undefined) return;
      const events = await listPublished(this.#db, { after, limit: AT_ONCE });
      // Meanwhile the readers were others, or somebody else was here.
      if (this.#head !== after) return;
      for (const event of events) for (const reader of this.#readers) reader.give(event);
      this.#head = Number(events.at(-1)?.id ?? after);
      if (events.length < AT_ONCE) return;
    }
  }

  /** Every event that is wanted, in order and once, until the signal. Nothing is read before it is asked for. */
  async *follow({ workspace_id, filter, after }: EventFeedQuery, signal: AbortSignal): AsyncGenerator<Event> {
    const found = this.#head ?? (await readHead(this.#db));
    // One that came meanwhile holds: it may be smaller, and what comes after it is still to be given.
    const head = (this.#head ??= found);
    const reader = new Reader((event) => event.workspace_id === workspace_id && isWanted(filter, event));
    this.#readers.add(reader);
    try {
      let last = after ?? (filter.since === undefined ? head : 0);
      while (!signal.aborted) {
        // What is published from here on is held; what was before is in the database.
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

  /** Undefined when the signal aborts, or when some were missed. */
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
