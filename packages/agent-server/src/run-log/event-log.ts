import type { Log } from '@roadstead/kit';
import { mergeChunks, squeeze } from './event-rules.ts';
import { retryOutages } from '../database/outages.ts';
import type { RunEvent } from '../runs/run.ts';
import { weightOfEvent } from './weight.ts';

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
  /** About how many bytes they take. */
  readonly bytes: number;
}

interface Pending {
  events: RunEvent[];
  bytes: number;
  /** So many are squeezed before more are taken. */
  limit: number;
}
const MAX_PENDING = 256;
/** With so many bytes unwritten a run has no room for more. */
const MAX_UNWRITTEN_BYTES = 1_048_576;

/**
 * Commits the events of all runs that are under way: what a run says first at once, later events merged per window,
 * everything in one statement. While the database is slow, chunks that wait are merged so far that they hold little more
 * than the answer, and hosts wait for `room`.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #begun = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether what a run says first waits. */
  #urgent = false;
  #writing: readonly ToldEvents[] = [];
  #inFlight: Promise<void> | undefined;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  add(run_id: string, events: readonly RunEvent[]): void {
    if (events.length === 0) return;
    const pending = this.#pending.get(run_id) ?? { events: [], bytes: 0, limit: MAX_PENDING };
    this.#pending.set(run_id, pending);
    for (const event of events) {
      pending.events.push(event);
      pending.bytes += weightOfEvent(event, MAX_UNWRITTEN_BYTES);
    }
    if (pending.events.length > pending.limit) {
      pending.events = squeeze(pending.events);
      pending.limit = Math.max(MAX_PENDING, 2 * pending.events.length);
    }
    const first = events.some((event) => event.kind !== 'started') && !this.#begun.has(run_id);
    if (first) this.#begun.add(run_id);
    this.#urgent ||= first;
    this.#schedule();
  }

  /** Until little of what the run has told is unwritten, or nothing is written any more. */
  async room(run_id: string): Promise<void> {
    while (this.#unwritten(run_id) > MAX_UNWRITTEN_BYTES) {
      this.#flush();
      await this.#inFlight;
    }
  }

  /** Removes and answers what isn't written yet, once nothing of the run is in flight any more. */
  async take(run_id: string): Promise<readonly RunEvent[]> {
    await this.#inFlight;
    const events = this.#pending.get(run_id)?.events ?? [];
    this.#pending.delete(run_id);
    this.#begun.delete(run_id);
    return mergeChunks(events);
  }

  #unwritten(run_id: string): number {
    const writing = this.#writing.find((told) => told.run_id === run_id);
    return (this.#pending.get(run_id)?.bytes ?? 0) + (writing?.bytes ?? 0);
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
    this.#writing = [...this.#pending].map(([run_id, { events, bytes }]) => ({
      run_id,
      events: mergeChunks(events),
      bytes,
    }));
    this.#pending.clear();
    this.#urgent = false;
    this.#inFlight = this.#insert(this.#writing).finally(() => {
      this.#writing = [];
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
