import type { Log } from '@roadstead/kit';
import { mergeChunks, squeeze } from './event-rules.ts';
import { retryOutages } from './outages.ts';
import type { RunEvent } from './run.ts';

export interface EventLogOptions {
  readonly insert: (told: readonly ToldEvents[]) => Promise<void>;
  /** Told where the database refuses what a run says. */
  readonly onRefused: (run_id: string, error: unknown) => void;
  /** Told of events once they are committed. */
  readonly publish: (run_id: string, events: readonly RunEvent[]) => void;
  readonly log: Log;
  /** Aborted when the database is not waited for any more. */
  readonly closed: AbortSignal;
  readonly window_ms?: number;
}

export interface ToldEvents {
  readonly run_id: string;
  readonly events: readonly RunEvent[];
}

interface Pending {
  events: RunEvent[];
  /** So many are squeezed before more are taken. */
  limit: number;
}
const MAX_PENDING = 256;

/**
 * Commits the events of all runs that are under way: what a run says first at once, later events merged per window,
 * everything in one statement. While the database is slow, what waits is merged so far that it holds little more than the answer.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #begun = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether what a run says first waits. */
  #urgent = false;
  #inFlight: Promise<void> | undefined;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  add(run_id: string, events: readonly RunEvent[]): void {
    if (events.length === 0) return;
    const pending = this.#pending.get(run_id) ?? { events: [], limit: MAX_PENDING };
    this.#pending.set(run_id, pending);
    for (const event of events) pending.events.push(event);
    if (pending.events.length > pending.limit) {
      pending.events = squeeze(pending.events);
      pending.limit = Math.max(MAX_PENDING, 2 * pending.events.length);
    }
    const first = events.some((event) => event.kind !== 'started') && !this.#begun.has(run_id);
    if (first) this.#begun.add(run_id);
    this.#urgent ||= first;
    this.#schedule();
  }

  /** Removes and answers what isn't written yet, once nothing of the run is in flight any more. */
  async take(run_id: string): Promise<readonly RunEvent[]> {
    await this.#inFlight;
    const events = this.#pending.get(run_id)?.events ?? [];
    this.#pending.delete(run_id);
    this.#begun.delete(run_id);
    return mergeChunks(events);
  }

  #schedule(): void {
    if (this.#timer !== undefined && !this.#urgent) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#flush();
      },
      this.#urgent ? 0 : (this.#options.window_ms ?? 50),
    );
  }

  #flush(): void {
    if (this.#inFlight !== undefined || this.#pending.size === 0) return;
    const told = [...this.#pending].map(([run_id, { events }]) => ({ run_id, events: mergeChunks(events) }));
    this.#pending.clear();
    this.#urgent = false;
    this.#inFlight = this.#insert(told).finally(() => {
      this.#inFlight = undefined;
      if (this.#pending.size > 0) this.#schedule();
    });
  }

  /** Waits out an outage. What one run says and the database refuses keeps nothing of the others. */
  async #insert(told: readonly ToldEvents[]): Promise<void> {
    const { insert, publish, onRefused, closed, log } = this.#options;
    const onOutage = (error: unknown) =>
      log.warn('the database is not reachable; events of runs wait', { error });
    try {
      await retryOutages(() => insert(told), { closed, onOutage });
    } catch (error) {
      if (told.length > 1) for (const one of told) await this.#insert([one]);
      else for (const { run_id } of told) onRefused(run_id, error);
      return;
    }
    for (const { run_id, events } of told) publish(run_id, events);
  }
}
