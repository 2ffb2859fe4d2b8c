import type { EventFilter } from '@roadstead/contracts/agent-server';
import { matches } from './event-filter-rules.ts';
import type { NumberedEvent } from './thread-events.ts';

interface Subscription {
  readonly filter: EventFilter;
  /** The `seq` after which its events are; moves on with what has been told. */
  after: number;
}

/** What the client of one connection wants of its thread's events, all told in one order. */
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

  /** The `seq` after which the first of them wants something; undefined where there is none. */
  get after(): number | undefined {
    if (this.#byId.size === 0) return undefined;
    return Math.min(...[...this.#byId.values()].map(({ after }) => after));
  }

  /** Whether any of them wants an event: told once, however many do. Asked of each event in its turn. */
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
