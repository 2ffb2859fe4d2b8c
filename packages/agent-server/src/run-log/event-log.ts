import type { Log } from '@roadstead/kit';
import { mergeChunks, squeeze } from './event-rules.ts';
import { retryOutages } from '../database/outages.ts';
import type { RunEvent } from '../runs/run.ts';
import { weightOfEvent } from './weight.ts';

export interface EventLogOptions {
  readonly insert: (told: readonly ReportedEvents[]) => Promise<void>;
  /** Called when the database refuses the events of a run. */
  readonly onRefused: (run_id: string, error: unknown) => void;
  /** Called with events once they are committed. */
  readonly publish: (run_id: string, events: readonly RunEvent[]) => void;
  readonly log: Log;
  /** Aborted when the database is not waited for any more. */
  readonly closed: AbortSignal;
  readonly window_ms?: number;
}

export interface ReportedEvents {
  readonly run_id: string;
  readonly events: readonly RunEvent[];
  /** About how many bytes they take. */
  readonly bytes: number;
}

interface EventBuffer {
  events: RunEvent[];
  bytes: number;
  /** The bytes at which they are squeezed before more are taken. */
  limit: number;
}
const MAX_PENDING = 256;
/** The unwritten bytes at which a run must wait. */
const MAX_UNWRITTEN_BYTES = 1_048_576;

/**
 * Commits the events of all runs that are under way: the first of a run at once, later ones merged per window, all in
 * one statement. While the database is slow, waiting chunks are merged until they hold little more than the answer, and
 * hosts wait for `room`.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #pending = new Map<string, EventBuffer>();
  readonly #begun = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the first events of a run wait. */
  #urgent = false;
  #writing: readonly ReportedEvents[] = [];
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

  /** Resolves once few of the run's events are unwritten, or nothing is written any longer. */
  async room(run_id: string): Promise<void> {
    while (this.#unwritten(run_id) > MAX_UNWRITTEN_BYTES) {
      this.#flush();
      await this.#inFlight;
    }
  }

  /** Removes and answers the unwritten events of a run, once none of them is in flight. */
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

  /** Inserts events, waiting out an outage. If the database refuses the events of one run, the others' are kept. */
  async #insert(told: readonly ReportedEvents[]): Promise<void> {
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
