import {
  type Clock,
  type Listing,
  type Log,
  Loop,
  type LoopOptions,
  type PassResult,
  systemClock,
} from '@roadstead/kit';

/** The keys that are due, and when the next one will be. */
interface DueList {
  /** Keys whose time has come: all of them, or the first of them. */
  readonly due: readonly string[];
  readonly has_more: boolean;
  /** When the first of the others is due. */
  readonly next_ms: number | undefined;
}

export interface DueLoopOptions {
  readonly name: string;
  readonly log: Log;
  readonly list: (now_ms: number, isBusy: (owner: string) => boolean) => Promise<DueList>;
  /** Does the due work of a key, and moves its time on. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<PassResult>;
  readonly concurrency?: number;
  readonly owner?: LoopOptions['owner'];
  readonly clock?: Clock;
}

/** How often to look at the clock: a computer that slept has gone on, and its timers have not. */
const GLANCE_MS = 30_000;
const RETRY_MS = { min: 1000, max: 300_000 };

/**
 * Works on keys when they are due. In between it waits by a timer alone: no connection is held and nothing is queried,
 * so that a deployment with work for tomorrow costs nothing today. Code that makes something due calls it.
 */
export class DueLoop implements AsyncDisposable {
  readonly #options: DueLoopOptions;
  readonly #clock: Clock;
  readonly #loop: Loop;
  readonly #stop = new AbortController();
  #next_ms: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(options: DueLoopOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const { name, log, reconcile, concurrency = 8, owner = () => [] } = options;
    this.#loop = new Loop({
      name,
      log,
      concurrency,
      owner,
      list: (isBusy) => this.#list(isBusy),
      resync_ms: Infinity,
      reconcile,
      backoff_ms: RETRY_MS,
    });
  }

  start(): this {
    this.#loop.start();
    return this;
  }

  /** The key is due now. */
  wake(key: string): void {
    this.#loop.wake(key);
  }

  /** Something is due at this time. */
  expect(at_ms: number): void {
    if (this.#stop.signal.aborted || (this.#next_ms !== undefined && this.#next_ms <= at_ms)) return;
    this.#next_ms = at_ms;
    this.#wait();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#loop[Symbol.asyncDispose]();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#next_ms === undefined || this.#stop.signal.aborted) return;
    const left_ms = Math.max(0, this.#next_ms - this.#clock.now());
    this.#timer = setTimeout(() => this.#glance(), Math.min(left_ms, GLANCE_MS)).unref();
  }

  #glance(): void {
    if (this.#next_ms !== undefined && this.#clock.now() >= this.#next_ms) this.#loop.list();
    else this.#wait();
  }

  async #list(isBusy: (owner: string) => boolean): Promise<Listing> {
    const { name, log, list } = this.#options;
    const now_ms = this.#clock.now();
    this.#next_ms = undefined;
    try {
      const { due, has_more, next_ms } = await list(now_ms, isBusy);
      this.#failures = 0;
      if (next_ms !== undefined) this.expect(next_ms);
      return { keys: due, has_more };
    } catch (error) {
      if (this.#stop.signal.aborted) return [];
      this.#failures += 1;
      const after_ms = Math.min(RETRY_MS.max, RETRY_MS.min * 2 ** (this.#failures - 1));
      log.warn('the due work could not be read', { loop: name, after_ms, error });
      this.expect(now_ms + after_ms);
      return [];
    }
  }
}
