import type { Clock } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { ModelNames } from '../records/run-operation.ts';
import { patternMatcher } from './price-pattern.ts';
import { type ModelPrice, priceAt, type PriceOf, pricesFor } from './price-rules.ts';
import { listPrices } from './price-store.ts';

/** How soon a change made through another instance is seen. */
const FRESH_MS = 5000;
/** The number of a workspace's models whose prices are remembered. */
const MAX_MODELS = 1000;

interface Page {
  readonly read_at: number;
  readonly findFor: (model: ModelNames) => readonly ModelPrice[];
}

/** Prices as ingestion looks them up: read once in a while, and matched once for each model. */
export class PriceBook {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #pages = new Map<string, Page>();

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** The present prices of these workspaces. */
  async of(workspace_ids: Iterable<string>): Promise<PriceOf> {
    const pages = new Map<string, Page>();
    for (const workspace_id of new Set(workspace_ids))
      pages.set(workspace_id, await this.#page(workspace_id));
    return ({ workspace_id, model, start_time }) =>
      priceAt(pages.get(workspace_id)?.findFor(model) ?? [], start_time);
  }

  /** Has the prices of a workspace read again. */
  forget(workspace_id: string): void {
    this.#pages.delete(workspace_id);
  }

  async #page(workspace_id: string): Promise<Page> {
    const now = this.#clock.now();
    const known = this.#pages.get(workspace_id);
    if (known !== undefined && Math.abs(now - known.read_at) < FRESH_MS) return known;
    const page = { read_at: now, findFor: finder(await listPrices(this.#db, workspace_id)) };
    if (this.#pages.size >= MAX_MODELS) this.#pages.clear();
    this.#pages.set(workspace_id, page);
    return page;
  }
}

function finder(prices: readonly ModelPrice[]): Page['findFor'] {
  const matchers = new Map(prices.map(({ id, match_pattern }) => [id, patternMatcher(match_pattern)]));
  const found = new Map<string, readonly ModelPrice[]>();
  return (model) => {
    const key = JSON.stringify(model);
    const known = found.get(key);
    if (known !== undefined) return known;
    if (found.size >= MAX_MODELS) found.clear();
    const matches = (price: ModelPrice, name: string) => matchers.get(price.id)?.(name) === true;
    const fitting = pricesFor(prices, { model, matches });
    found.set(key, fitting);
    return fitting;
  };
}
