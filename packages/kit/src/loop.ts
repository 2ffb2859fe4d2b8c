import { Admission, type Owner } from './admission/admission.ts';
import type { Place } from './admission/seat.ts';
import type { Log } from './log.ts';

/** The result of one pass over one key. A pass that throws is repeated, with growing delays. */
export type PassResult = { readonly kind: 'settled' } | { readonly kind: 'again'; readonly after_ms: number };

export const settled: PassResult = { kind: 'settled' };
export const again = (after_ms: number): PassResult => ({ kind: 'again', after_ms });

/** Keys that may need work: all of them, or the first part of more. */
export type Listing = readonly string[] | { readonly keys: readonly string[]; readonly has_more: boolean };

export interface LoopOptions {
  readonly name: string;
  /** Makes the world match the record of a key; reads everything it needs, and may be ended at any moment. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<PassResult>;
  /**
   * Lists keys that may need work. It is polled, so that a lost wake-up costs time only. A partial listing is soon
   * followed by the next one. A busy owner, which has enough waiting already, is skipped.
   */
  readonly list: (isBusy: (owner: string) => boolean) => Promise<Listing>;
  readonly log: Log;
  /** Passes at once; 4 by default. */
  readonly concurrency?: number;
  /**
   * The owner that a key's passes count for: owners take turns, and one has at most half. Without it keys come in
   * order.
   */
  readonly owner?: (key: string) => Owner;
  /** The time between listings; 5,000 by default. `Infinity`: it lists when it starts, and when `list` is called. */
  readonly resync_ms?: number;
  readonly backoff_ms?: { readonly min: number; readonly max: number };
  /** A pass that takes longer is logged, and logged again each time this interval passes; one minute by default. */
  readonly slow_ms?: number;
}

/** The pause between two listings of one backlog: ten times as long as the listing took, within these bounds. */
const BACKLOG_MS = { min: 50, max: 1000, times_taken: 10 };
/** No more keys of an owner are listed while this many of it wait. */
const BUSY = 100;

/**
 * A level-triggered loop: `wake(key)` means that a key may need work, never what changed. One key never runs twice at
 * once; if it is woken meanwhile, it runs once more.
 */
export class Loop implements AsyncDisposable {
  readonly #options: LoopOptions;
  readonly #places: Admission;
  readonly #waiting = new Map<string, Place>();
  readonly #running = new Map<string, Promise<void>>();
  /** Keys that were woken during their pass. */
  readonly #woken = new Set<string>();
  /** Keys that were listed during their pass: they run once more, unless it fails. */
  readonly #listed = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #stop = new AbortController();
  #listing: Promise<void> | undefined;
  #listsAgain = false;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#places = new Admission({ size: options.concurrency ?? 4 });
  }

  start(): this {
    this.list();
    return this;
  }

  /** Lists now; once more where a listing is already under way, since that one may have read the old state. */
  list(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#timers.get(''));
    this.#listsAgain = this.#listing !== undefined;
    this.#listing ??= this.#takeListing().then((after_ms) => {
      this.#listing = undefined;
      if (this.#listsAgain) this.list();
      else if (after_ms !== Infinity) this.#later('', after_ms, () => this.list());
    });
  }

  wake(key: string): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    if (this.#running.has(key)) this.#woken.add(key);
    else if (!this.#waiting.has(key)) this.#enter(key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const place of this.#waiting.values()) place[Symbol.dispose]();
    this.#waiting.clear();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.allSettled([this.#listing, ...this.#running.values()]);
  }

  #enter(key: string): void {
    const place = this.#places.enter(this.#options.owner?.(key) ?? []);
    if (place.tryHold(1)) return this.#begin(key, place);
    this.#waiting.set(key, place);
    void place.hold(1).then(() => {
      if (this.#waiting.delete(key)) this.#begin(key, place);
    });
  }

  #begin(key: string, place: Place): void {
    this.#running.set(key, this.#pass(key, place));
  }

  async #pass(key: string, place: Place): Promise<void> {
    try {
      const result = await this.#watched(key, this.#options.reconcile(key, this.#stop.signal));
      this.#failures.delete(key);
      if (this.#listed.has(key)) this.#woken.add(key);
      if (result.kind === 'again') this.#later(key, result.after_ms);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#failed(key, error);
    } finally {
      this.#running.delete(key);
      this.#listed.delete(key);
      place[Symbol.dispose]();
      if (this.#woken.delete(key)) this.wake(key);
    }
  }

  async #watched<T>(key: string | undefined, work: Promise<T>): Promise<T> {
    const began = Date.now();
    const { name, log, slow_ms = 60_000 } = this.#options;
    const warn = () => log.warn('pass takes long', { loop: name, key, took_ms: Date.now() - began });
    const timer = setInterval(warn, slow_ms).unref();
    return work.finally(() => clearInterval(timer));
  }

  #failed(key: string, error: unknown): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const { min, max } = this.#options.backoff_ms ?? { min: 200, max: 30_000 };
    const after_ms = Math.min(max, min * 2 ** (failures - 1));
    this.#options.log.warn('pass failed', { loop: this.#options.name, key, failures, after_ms, error });
    this.#later(key, after_ms);
  }

  /** @returns the time until the next listing */
  async #takeListing(): Promise<number> {
    const { name, log, list, resync_ms = 5000 } = this.#options;
    const began = performance.now();
    try {
      const listing = await this.#watched(
        undefined,
        list((owner) => this.#places.waiting([owner]) >= BUSY),
      );
      const { keys, has_more } = 'has_more' in listing ? listing : { keys: listing, has_more: false };
      for (const key of keys) this.#take(key);
      if (!has_more) return resync_ms;
      const { min, max, times_taken } = BACKLOG_MS;
      return Math.min(max, Math.max(min, times_taken * (performance.now() - began)));
    } catch (error) {
      if (!this.#stop.signal.aborted) log.warn('resync failed', { loop: name, error });
      return resync_ms;
    }
  }

  /** Takes a key of a listing: one whose pass failed waits out its delay. */
  #take(key: string): void {
    if (this.#running.has(key)) this.#listed.add(key);
    else if (!this.#timers.has(key)) this.wake(key);
  }

  #later(key: string, after_ms: number, run = () => this.wake(key)): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#timers.get(key));
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      run();
    }, after_ms);
    this.#timers.set(key, timer.unref());
  }
}
