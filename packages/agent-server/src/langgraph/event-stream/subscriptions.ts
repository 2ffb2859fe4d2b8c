import type { EventFilter } from '@roadstead/contracts/agent-server';
import { matches } from './event-filter-rules.ts';
import type { NumberedEvent } from './thread-events.ts';

interface Subscription {
  readonly filter: EventFilter;
  /** The `seq` after which its events begin; it advances with what has been sent. */
  after: number;
}

/** The subscriptions of one connection to its thread's events, sent in one order. */
export class Subscriptions {
  readonly #byId = new Map<string, Subscription>();

  add(filter: EventFilter, after: number): string {
    const id = crypto.randomUUID();
    this.#byId.set(id, { filter, after });
    return id;
  }

  remove(id: string): boolean {
    return this.#byId.delete(id);
  }

  get count(): number {
    return this.#byId.size;
  }

  /** The lowest `seq` after which a subscription wants events; undefined where there is none. */
  get after(): number | undefined {
    if (this.#byId.size === 0) return undefined;
    return Math.min(...[...this.#byId.values()].map(({ after }) => after));
  }

  /** Whether any subscription wants an event, which is sent once, however many do. Called for each event in turn. */
  want({ told, seq }: NumberedEvent): boolean {
    let wanted = false;
    for (const subscription of this.#byId.values()) {
      if (seq <= subscription.after) continue;
      subscription.after = seq;
      wanted ||= matches(subscription.filter, told);
    }
    return wanted;
  }
}
