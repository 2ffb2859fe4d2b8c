/** The lines of a log that are in the page: bounded, and told to the page once a frame, however many come. */

export interface LogLine {
  readonly id: string;
  readonly timestamp: string;
  readonly level: string;
  readonly message: string;
}

/** So many lines are kept; beyond them the oldest are dropped, a batch at a time. */
export const MOST_LINES = 100_000;
const BATCH = 5000;

export interface LogSnapshot {
  readonly lines: readonly LogLine[];
  /** The number of the first line: it falls when older ones come before it, and grows when the oldest are dropped. */
  readonly base: number;
  readonly version: number;
}

type Schedule = (flush: () => void) => void;

export class LogBuffer {
  #lines: LogLine[] = [];
  #pending: LogLine[] = [];
  #isScheduled = false;
  #snapshot: LogSnapshot = { lines: this.#lines, base: 0, version: 0 };
  readonly #listeners = new Set<() => void>();
  readonly #schedule: Schedule;

  constructor(schedule: Schedule = (flush) => void requestAnimationFrame(flush)) {
    this.#schedule = schedule;
  }

  /** Adds a line at the end, with the next frame. A page that nobody looks at has no frames, and keeps the newest. */
  append(line: LogLine): void {
    this.#pending.push(line);
    if (this.#pending.length > MOST_LINES + BATCH) this.#pending.splice(0, BATCH);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => this.#flush());
  }

  /** Adds older lines before the first. */
  prepend(lines: readonly LogLine[]): void {
    this.#lines = [...lines, ...this.#lines];
    this.#tell(this.#snapshot.base - lines.length);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): LogSnapshot => this.#snapshot;

  #flush(): void {
    this.#isScheduled = false;
    const pending = this.#pending;
    this.#pending = [];
    for (const line of pending) this.#lines.push(line);
    const over = this.#lines.length - MOST_LINES;
    const dropped = over > BATCH ? over : 0;
    if (dropped > 0) this.#lines = this.#lines.slice(dropped);
    this.#tell(this.#snapshot.base + dropped);
  }

  #tell(base: number): void {
    this.#snapshot = { lines: this.#lines, base, version: this.#snapshot.version + 1 };
    for (const listener of this.#listeners) listener();
  }
}
