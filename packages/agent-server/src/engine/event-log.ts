import type { Log } from '@roadstead/kit';
import type { TaskEvent } from '../tasks/task.ts';
import { retryOutages } from './outages.ts';
import type { EventRecord } from './engine-store.ts';
import { mergeChunks, squeeze } from './run-rules.ts';

export interface EventLogOptions {
  readonly insert: (records: readonly EventRecord[]) => Promise<void>;
  /** Told of events once they are committed. */
  readonly publish: (task_id: string, events: readonly TaskEvent[]) => void;
  readonly log: Log;
  /** Aborted when the database is not waited for any more. */
  readonly closed: AbortSignal;
  readonly window_ms?: number;
}

interface Pending {
  events: TaskEvent[];
  /** So many are squeezed before more are taken. */
  limit: number;
}
const MAX_PENDING = 256;

/**
 * Commits the events of all running streams: the first of a task at once, later ones merged per window, everything in
 * one statement. While the database is slow, what waits is merged so far that it holds little more than the answer.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #begun = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Whether the first event of a task waits. */
  #urgent = false;
  #inFlight: Promise<void> | undefined;

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  add(task_id: string, events: readonly TaskEvent[]): void {
    if (events.length === 0) return;
    const pending = this.#pending.get(task_id) ?? { events: [], limit: MAX_PENDING };
    this.#pending.set(task_id, pending);
    for (const event of events) pending.events.push(event);
    if (pending.events.length > pending.limit) {
      pending.events = squeeze(pending.events);
      pending.limit = Math.max(MAX_PENDING, 2 * pending.events.length);
    }
    const first = events.some((event) => event.kind === 'artifact') && !this.#begun.has(task_id);
    if (first) this.#begun.add(task_id);
    this.#urgent ||= first;
    this.#schedule();
  }

  /** Removes and answers what isn't written yet, once nothing of the task is in flight any more. */
  async take(task_id: string): Promise<readonly TaskEvent[]> {
    await this.#inFlight;
    const events = this.#pending.get(task_id)?.events ?? [];
    this.#pending.delete(task_id);
    this.#begun.delete(task_id);
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
    const tasks = [...this.#pending].map(([task_id, { events }]) => [task_id, mergeChunks(events)] as const);
    this.#pending.clear();
    this.#urgent = false;
    const records = tasks.flatMap(([task_id, events]) => events.map((event) => ({ task_id, event })));
    this.#inFlight = this.#insert(records)
      .then((committed) => {
        if (!committed) return;
        for (const [task_id, events] of tasks) this.#options.publish(task_id, events);
      })
      .finally(() => {
        this.#inFlight = undefined;
        if (this.#pending.size > 0) this.#schedule();
      });
  }

  /** Waits out an outage; false when the database refuses: what isn't committed isn't published. */
  async #insert(records: readonly EventRecord[]): Promise<boolean> {
    const { insert, closed, log } = this.#options;
    const onOutage = (error: unknown) =>
      log.warn('the database is not reachable; stream events wait', { error });
    try {
      await retryOutages(() => insert(records), { closed, onOutage });
      return true;
    } catch (error) {
      // Streams miss events that the database refuses; the task's end still holds the whole answer.
      log.warn('stream events could not be written', { error });
      return false;
    }
  }
}
