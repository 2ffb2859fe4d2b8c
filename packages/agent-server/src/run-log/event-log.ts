import type { Log } from '@roadstead/kit';
import { mergeChunks, squeeze, windowOf } from './event-rules.ts';
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
 * Commits the events of all runs that are under way: the first of a run at once, later ones merged per window, those of
 * all runs in one statement. While the database is slow, waiting chunks are merged until they hold little more than the
 * answer, and hosts wait for `room`.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #pending = new Map<string, EventBuffer>();
  readonly #begun = new Set<string>();
  /** The runs whose first events wait. */
  readonly #firsts = new Set<string>();
  #soon: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #window_ms = windowOf(0);
  /** Whether the window is over. */
  #is_due = false;
  #writing: ReadonlyMap<string, ReportedEvents> = new Map();
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
    if (events.some((event) => event.kind !== 'started') && !this.#begun.has(run_id)) {
      this.#begun.add(run_id);
      this.#firsts.add(run_id);
      this.#flushSoon();
    }
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flushAll();
    }, this.#window_ms);
  }

  /** Resolves once few of the run's events are unwritten, or nothing is written any longer. */
  async room(run_id: string): Promise<void> {
    while (this.#unwritten(run_id) > MAX_UNWRITTEN_BYTES) {
      this.#flushAll();
      await this.#inFlight;
    }
  }

  /** Removes and answers the unwritten events of a run, once none of them is in flight. */
  async take(run_id: string): Promise<readonly RunEvent[]> {
    while (this.#writing.has(run_id)) await this.#inFlight;
    const events = this.#pending.get(run_id)?.events ?? [];
    this.#pending.delete(run_id);
    this.#begun.delete(run_id);
    this.#firsts.delete(run_id);
    return mergeChunks(events);
  }

  #unwritten(run_id: string): number {
    return (this.#pending.get(run_id)?.bytes ?? 0) + (this.#writing.get(run_id)?.bytes ?? 0);
  }

  /** Flushes what all runs report in this turn of the event loop together. */
  #flushSoon(): void {
    if (this.#soon !== undefined) return;
    this.#soon = setTimeout(() => {
      this.#soon = undefined;
      this.#flush();
    }, 0);
  }

  #flushAll(): void {
    this.#is_due = true;
    this.#flush();
  }

  /** Writes what waits once the window is over, else the first events alone; after the statement in flight, if any. */
  #flush(): void {
    if (this.#inFlight !== undefined) return;
    const run_ids = [...(this.#is_due ? this.#pending.keys() : this.#firsts)];
    if (this.#is_due) this.#window_ms = windowOf(run_ids.length);
    this.#is_due = false;
    if (run_ids.length === 0) return;
    const told = run_ids.map((run_id) => this.#remove(run_id));
    this.#writing = new Map(told.map((one) => [one.run_id, one]));
    this.#inFlight = this.#insert(told).finally(() => {
      this.#writing = new Map();
      this.#inFlight = undefined;
      // A run that waited for it goes first: it takes its events along to its end.
      if (this.#is_due || this.#firsts.size > 0) this.#flushSoon();
    });
  }

  #remove(run_id: string): ReportedEvents {
    const { events, bytes } = this.#pending.get(run_id) ?? { events: [], bytes: 0 };
    this.#pending.delete(run_id);
    this.#firsts.delete(run_id);
    return { run_id, events: mergeChunks(events), bytes };
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
