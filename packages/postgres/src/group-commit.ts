import { isConnectionError } from './database-error.ts';

export interface GroupCommitOptions<Item, Result> {
  /** Writes all items or none, and returns a result for each, in order. */
  readonly flush: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** The most items in one flush; no limit by default. */
  readonly max_items?: number;
  /** The weight of an item, in the unit of `max_weight` (bytes, say); 1 by default. */
  readonly weigh?: (item: Item) => number;
  /** The most weight in one flush; a heavier item is flushed alone. */
  readonly max_weight?: number;
  /** The most flushes in flight at once; 1 by default, which keeps items in order. */
  readonly lanes?: number;
  /**
   * The owner that an item counts for: owners take turns in each flush, by weight, beginning with the one served
   * longest ago; the items of one owner stay in order.
   */
  readonly owner?: (item: Item) => string;
  /** Whether the items of a failed flush are retried one by one, so that only the bad one fails; true by default. */
  readonly split_on_error?: boolean;
}

interface Entry<Item, Result> {
  readonly item: Item;
  readonly owner: string;
  readonly weight: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects items while one flush is in flight, and writes them in the next one. There is no timer: a single item
 * waits only for the rest of its tick. Each item gets its own result or error. After a connection error nothing is
 * retried, since it is unknown what was written.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #waiting: Entry<Item, Result>[] = [];
  /**
   * The last turn of each waiting owner: where an item leaves no room for other owners, they begin the next flush.
   */
  #turns = new Map<string, number>();
  #turn = 0;
  readonly #lanes = new Set<Promise<void>>();

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves when the item is written; rejects with the error of its flush. */
  async add(item: Item): Promise<Result> {
    const weight = this.#options.weigh?.(item) ?? 1;
    const owner = this.#options.owner?.(item) ?? '';
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, owner, weight, resolve, reject });
    // A newcomer goes before the owner that was served last, and behind all that have waited longer.
    if (!this.#turns.has(owner)) this.#turns.set(owner, this.#turn - 0.5);
    if (this.#lanes.size < (this.#options.lanes ?? 1)) this.#open();
    return promise;
  }

  /** Whether items wait while all lanes are in flight. */
  get is_busy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when nothing waits and nothing is in flight. Never rejects. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes);
  }

  #open(): void {
    const lane: Promise<void> = this.#work(() => this.#lanes.delete(lane));
    this.#lanes.add(lane);
  }

  /** @param close called synchronously when nothing waits any more, so that the next item opens a lane. */
  async #work(close: () => void): Promise<void> {
    while (this.#waiting.length > 0) {
      // One turn of the event loop, in which items that arrived together are read: each flush costs a round trip.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#flush(this.#take());
    }
    close();
  }

  #take(): Entry<Item, Result>[] {
    const { max_items = Infinity, max_weight = Infinity, owner } = this.#options;
    const taken: Entry<Item, Result>[] = [];
    let weight = 0;
    for (const entry of owner === undefined ? this.#waiting : inTurns(this.#waiting, this.#turns)) {
      weight += entry.weight;
      if (taken.length > 0 && (taken.length >= max_items || weight > max_weight)) break;
      taken.push(entry);
    }
    if (owner === undefined) return this.#waiting.splice(0, taken.length);
    const gone = new Set(taken);
    this.#waiting = this.#waiting.filter((entry) => !gone.has(entry));
    for (const one of taken) this.#turns.set(one.owner, (this.#turn += 1));
    this.#turns = new Map(this.#waiting.map((one) => [one.owner, this.#turns.get(one.owner) ?? 0]));
    return taken;
  }

  async #flush(entries: readonly Entry<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.flush(entries.map(({ item }) => item));
      if (results.length !== entries.length) {
        throw new Error(`A flush of ${entries.length} items answered ${results.length}.`);
      }
      for (const [index, { resolve }] of entries.entries()) resolve(results[index] as Result);
    } catch (error) {
      const { split_on_error = true } = this.#options;
      if (split_on_error && entries.length > 1 && !isConnectionError(error)) {
        for (const entry of entries) await this.#flush([entry]);
      } else {
        for (const { reject } of entries) reject(error);
      }
    }
  }
}

/**
 * Yields entries so that owners take turns: next is the owner that has got least so far, among equals the one served
 * longest ago.
 */
function* inTurns<E extends { readonly owner: string; readonly weight: number }>(
  entries: readonly E[],
  turns: ReadonlyMap<string, number>,
): Generator<E> {
  const owners = [...Map.groupBy(entries, ({ owner }) => owner)]
    .map(([owner, own]) => ({ own, turn: turns.get(owner) ?? 0, at: 0, got: 0 }))
    .sort((one, other) => one.turn - other.turn);
  for (let left = owners; left.length > 0; left = left.filter(({ own, at }) => at < own.length)) {
    const next = left.reduce((least, one) => (one.got < least.got ? one : least));
    const entry = next.own[next.at];
    if (entry === undefined) return;
    yield entry;
    next.at += 1;
    next.got += entry.weight;
  }
}
