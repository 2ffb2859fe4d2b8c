import type { ThreadTtl } from '@roadstead/contracts/langgraph-json';
import type { Log } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { isCurrent } from '../runs/run-store.ts';
import type { Runs } from '../runs/runs.ts';
import { nextItemExpiry, sweepItems } from '../store/item-store.ts';
import type { TtlStrategy } from '../threads/thread-row.ts';
import type { Threads } from '../threads/threads.ts';
import {
  deleteOldEvents,
  listExpired,
  listLeftover,
  listOutdated,
  nextThreadExpiry,
  prolongThreads,
} from './retention-store.ts';

export interface RetentionOptions {
  readonly searches: Database;
  /** The epoch of the engine that owns the threads and items. */
  readonly epoch: number;
  readonly threads: Pick<Threads, 'prune' | 'removeIdle'>;
  readonly runs: Pick<Runs, 'onEnded'>;
  /** The settings of the revision that serves, for its threads and its store. */
  readonly settings: () => {
    readonly threads: ThreadTtl | null;
    readonly items_sweep_minutes: number | null;
  };
  /** The least time between passes; by default what `langgraph.json` says, or five minutes. */
  readonly apart_ms?: number;
  readonly log: Log;
}

const APART_MINUTES = 5;
const AT_ONCE = 1000;
/** How many threads are removed in one transaction. */
const TOGETHER = 200;
/** The hours after which nobody resumes the stream of a run without a task. */
const EVENTS_KEPT_H = 24;
const TIDY_MS = 3_600_000;
/** The longest delay of a timer. */
const MOST_MS = 2 ** 31 - 1;

/**
 * Removes expired items and threads, threads that nothing has changed for as long as `langgraph.json` says, and old
 * events of ended runs. It sleeps until the next thing expires, so that an idle deployment without expiry needs no
 * connection.
 */
export class Retention implements AsyncDisposable {
  readonly #options: RetentionOptions;
  readonly #ends: Disposable;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #passing: Promise<void> | undefined;
  #passed = -Infinity;
  /** Whether runs have ended since the last pass, so that there is something to remove. */
  #untidy = true;
  #again = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#ends = options.runs.onEnded(() => {
      if (!this.#untidy) this.#wakeIn(TIDY_MS);
      this.#untidy = true;
    });
  }

  /** Something got an expiry: runs a pass when it comes. */
  wake(): void {
    this.#wakeIn(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#ends[Symbol.dispose]();
    clearTimeout(this.#timer);
    await this.#passing;
  }

  get #apart_ms(): number {
    const { apart_ms, settings } = this.#options;
    const { threads, items_sweep_minutes } = settings();
    const said = [threads?.sweep_interval_minutes, items_sweep_minutes].filter(
      (one) => typeof one === 'number',
    );
    return apart_ms ?? Math.min(APART_MINUTES, ...said) * 60_000;
  }

  #wakeIn(ms: number): void {
    if (this.#stop.signal.aborted) return;
    const earliest = this.#passed + this.#apart_ms - Date.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#begin(), Math.min(MOST_MS, Math.max(0, ms, earliest))).unref();
  }

  #begin(): void {
    if (this.#passing !== undefined) {
      this.#again = true;
      return;
    }
    this.#passing = this.#pass()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted)
          this.#options.log.warn('expired items and threads could not be removed', { error });
        return this.#apart_ms;
      })
      .then((next_ms) => {
        this.#passing = undefined;
        if (this.#again) this.#wakeIn(0);
        else if (next_ms !== undefined) this.#wakeIn(next_ms);
        this.#again = false;
      });
  }

  /** Answers the milliseconds until there is something to do again. */
  async #pass(): Promise<number | undefined> {
    this.#passed = Date.now();
    const { searches, epoch } = this.#options;
    // An engine that has taken the deployment over sweeps by the settings of its own revision.
    if (!(await isCurrent(searches, epoch))) return undefined;
    await this.#whole(() => sweepItems(searches, AT_ONCE));
    await this.#expireThreads();
    if (this.#untidy) {
      this.#untidy = false;
      await this.#tidy().catch((error: unknown) => {
        this.#untidy = true;
        throw error;
      });
    }
    const expiries = [await nextItemExpiry(searches), await nextThreadExpiry(searches)];
    const waits = expiries.flatMap((at) => (at === null ? [] : [Date.parse(at) - Date.now()]));
    const regular = this.#options.settings().threads?.default_ttl ? [this.#apart_ms] : [];
    const next = Math.min(...waits, ...regular);
    return Number.isFinite(next) ? next : undefined;
  }

  async #expireThreads(): Promise<void> {
    const { searches, settings } = this.#options;
    const ttl = settings().threads;
    const limit = ttl?.sweep_limit ?? AT_ONCE;
    const expired = await listExpired(searches, limit);
    for (const strategy of ['delete', 'keep_latest'] as const) {
      const ids = expired.filter((one) => one.strategy === strategy).map(({ thread_id }) => thread_id);
      await this.#prune(ids, strategy);
      if (strategy === 'keep_latest' && ids.length > 0) await prolongThreads(searches, ids);
    }
    if (!ttl?.default_ttl) return;
    await this.#prune(await listOutdated(searches, { minutes: ttl.default_ttl, limit }), ttl.strategy);
  }

  async #tidy(): Promise<void> {
    const { searches } = this.#options;
    await this.#removeLeftover();
    await this.#whole(() => deleteOldEvents(searches, { hours: EVENTS_KEPT_H, limit: AT_ONCE }));
  }

  /** Removes the threads that runs without a client's thread leave. */
  async #removeLeftover(): Promise<void> {
    const { searches, threads, log } = this.#options;
    let removed = 0;
    for (let some = -1; some !== 0 && !this.#stop.signal.aborted; removed += some)
      some = await threads.removeIdle(await listLeftover(searches, TOGETHER));
    if (removed > 0) log.info('threads of single runs were removed', { removed });
  }

  async #prune(ids: readonly string[], strategy: TtlStrategy): Promise<void> {
    if (ids.length === 0 || this.#stop.signal.aborted) return;
    const pruned = await this.#options.threads.prune(ids, { within: {}, strategy });
    this.#options.log.info('threads have expired', { strategy, pruned });
  }

  async #whole(sweep: () => Promise<number>): Promise<void> {
    while (!this.#stop.signal.aborted && (await sweep()) === AT_ONCE);
  }
}
