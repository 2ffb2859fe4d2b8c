import { Admission, type Owner, type Place } from './admission/admission.ts';
import type { Log } from './log.ts';

/** What one pass over one key concluded. A pass that throws is repeated, with growing delays. */
export type PassResult = { readonly kind: 'settled' } | { readonly kind: 'again'; readonly after_ms: number };

export const settled: PassResult = { kind: 'settled' };
export const again = (after_ms: number): PassResult => ({ kind: 'again', after_ms });

export interface LoopOptions {
  readonly name: string;
  /** Makes the world match the record of a key; reads everything it needs, and may be ended at any moment. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<PassResult>;
  /** Keys that may need work, polled so that a lost wake-up costs time only. */
  readonly list: () => Promise<readonly string[]>;
  /** Whether `list` tells the first of what is due: once those of one owner are done, it is asked for more at once. */
  readonly has_more?: boolean;
  readonly log: Log;
  /** Passes at once; 4 by default. */
  readonly concurrency?: number;
  /** Whom a key's passes count for: owners take turns, and one has at most half. Without it keys come in order. */
  readonly owner?: (key: string) => Owner;
  readonly resync_ms?: number;
  readonly backoff_ms?: { readonly min: number; readonly max: number };
  /** A pass that takes longer is logged, and logged again each time this passes; one minute by default. */
  readonly slow_ms?: number;
}

/** What another instance has in hand is listed until it is done. */
const NEXT_LIST_MS = 50;

/**
 * A level-triggered loop: `wake(key)` says that a key may need work, never what changed. One key never runs twice at
 * once; woken meanwhile, it runs once more.
 */
export class Loop implements AsyncDisposable {
  readonly #options: LoopOptions;
  readonly #places: Admission;
  readonly #waiting = new Map<string, Place>();
  readonly #running = new Map<string, Promise<void>>();
  /** Keys that were woken during their pass. */
  readonly #woken = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #stop = new AbortController();
  /** Keys that were listed and whose pass has not ended, by owner. */
  readonly #listed = new Map<string, Set<string>>();

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#places = new Admission({ size: options.concurrency ?? 4 });
  }

  start(): this {
    void this.#resync();
    return this;
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
    await Promise.allSettled(this.#running.values());
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
      if (result.kind === 'again') this.#later(key, result.after_ms);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#failed(key, error);
    } finally {
      this.#running.delete(key);
      place[Symbol.dispose]();
      if (this.#woken.delete(key)) this.wake(key);
      if (this.#isLastListed(key)) this.#list(NEXT_LIST_MS);
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

  async #resync(): Promise<void> {
    try {
      const keys = await this.#watched(undefined, this.#options.list());
      for (const key of keys) {
        if (this.#timers.has(key)) continue;
        if (this.#options.has_more === true) this.#listedOf(key).add(key);
        this.wake(key);
      }
    } catch (error) {
      if (!this.#stop.signal.aborted)
        this.#options.log.warn('resync failed', { loop: this.#options.name, error });
    }
    this.#list(this.#options.resync_ms ?? 5000);
  }

  #listedOf(key: string): Set<string> {
    const owner = JSON.stringify(this.#options.owner?.(key) ?? []);
    const listed = this.#listed.get(owner) ?? new Set();
    this.#listed.set(owner, listed);
    return listed;
  }

  /** Whether it was listed, and nothing else is left that was listed of its owner. */
  #isLastListed(key: string): boolean {
    if (this.#listed.size === 0) return false;
    const owner = JSON.stringify(this.#options.owner?.(key) ?? []);
    const listed = this.#listed.get(owner);
    if (listed?.delete(key) !== true || listed.size > 0) return false;
    this.#listed.delete(owner);
    return true;
  }

  #list(after_ms: number): void {
    this.#later('', after_ms, () => void this.#resync());
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
