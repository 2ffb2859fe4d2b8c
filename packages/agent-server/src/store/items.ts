import type { StoreOperation } from '@roadstead/contracts/host';
import type { StoreSettings } from '@roadstead/contracts/langgraph-json';
import { Problem } from '@roadstead/kit';
import type { Database, Queryable, Transaction } from '@roadstead/postgres';
import type { Aside } from '../hosts/run-sink.ts';
import type { Runs } from '../runs/runs.ts';
import { prefixOf } from './item-key.ts';
import { deleteItem, findItem, type Item, listItems, prolong, readNear, upsertItem } from './item-store.ts';
import { listNamespaces } from './namespace-store.ts';
import type { Pgvector } from './pgvector.ts';
import { textsAt } from './text-path-rules.ts';
import { packVector } from './vector-rules.ts';
import { findNearest, type ItemVector, replaceVectors } from './vector-store.ts';

export interface ItemsOptions {
  readonly db: Database;
  /** Connections for queries over many rows. */
  readonly searches: Database;
  /** Defined where the database has the extension. */
  readonly pgvector?: Pgvector | undefined;
  /** The store settings of the revision that serves. */
  readonly settings: () => StoreSettings | null;
  readonly ask: Runs['ask'];
  /** Called when an item gets an expiry. */
  readonly onExpiry: () => void;
}

type Put = StoreOperation & { op: 'put' };
type Search = StoreOperation & { op: 'search' };

/** The vectors that operations need, by text. */
type Vectors = ReadonlyMap<string, Buffer>;
const NO_VECTORS: Vectors = new Map();

/** The options of a run's attempt. */
export interface ForAttempt {
  readonly hold?: ((tx: Transaction) => Promise<void>) | undefined;
  readonly aside?: Aside | undefined;
}

/** How many texts are embedded in one call. */
const EMBEDDED = 100;

/**
 * The store of a deployment: items that outlive threads, by namespace and key. With an index in `langgraph.json` they
 * are also found by meaning; the project's own embedder makes the vectors, in a graph host.
 */
export class Items {
  readonly #options: ItemsOptions;

  constructor(options: ItemsOptions) {
    this.#options = options;
  }

  /**
   * Does all operations in one transaction, in order, and answers their results in that order. `hold` runs first in the
   * transaction: for an attempt that is over it throws. The embedder is awaited `aside`, since it may take long.
   */
  async run(operations: readonly StoreOperation[], { hold, aside }: ForAttempt = {}): Promise<unknown[]> {
    const texts = this.#textsToEmbed(operations);
    const embed = () => this.#embed(texts);
    const vectors = texts.length === 0 ? NO_VECTORS : await (aside ? aside(embed) : embed());
    const { db, searches } = this.#options;
    // Scans take long, and the connections of runs are few.
    const scans = operations.some(isScan) && operations.every(({ op }) => op !== 'put');
    const results = await (scans ? searches : db).transaction(async (tx) => {
      await hold?.(tx);
      const done: unknown[] = [];
      for (const operation of operations) done.push(await this.#runOne(tx, operation, vectors));
      return done;
    });
    if (operations.some((one) => one.op === 'put' && this.#ttlOf(one) !== null)) this.#options.onExpiry();
    return results;
  }

  // oxlint-disable-next-line roadstead/two-positional -- where, what, and what was prepared for it
  async #runOne(tx: Transaction, operation: StoreOperation, vectors: Vectors): Promise<unknown> {
    switch (operation.op) {
      case 'get': {
        const item = await findItem(tx, operation);
        if (item !== null) await this.#wasRead(tx, [item], operation.refresh_ttl);
        return item;
      }
      case 'put':
        return this.#put(tx, operation, vectors);
      case 'search': {
        const items = await this.#search(tx, operation, vectors);
        await this.#wasRead(tx, items, operation.refresh_ttl);
        return items;
      }
      case 'list_namespaces':
        return listNamespaces(tx, operation);
      default:
        return operation satisfies never;
    }
  }

  // oxlint-disable-next-line roadstead/two-positional -- where, what, and what was prepared for it
  async #put(tx: Transaction, put: Put, vectors: Vectors): Promise<null> {
    const { namespace, key, value } = put;
    if (value === null) {
      await deleteItem(tx, put);
      return null;
    }
    await upsertItem(tx, { namespace, key, value, ttl: this.#ttlOf(put) });
    if (this.#options.settings()?.index) {
      const own = this.#textsOf(put).flatMap(({ path, text }): ItemVector[] => {
        const vector = vectors.get(text);
        return vector === undefined ? [] : [{ path, vector }];
      });
      const pgvector = this.#options.pgvector?.schema;
      await replaceVectors(tx, { prefix: prefixOf(namespace), key, vectors: own, pgvector });
    }
    return null;
  }

  /** Without an index `query` chooses nothing, as in the stock stores. */
  // oxlint-disable-next-line roadstead/two-positional -- where, what, and what was prepared for it
  async #search(tx: Transaction, search: Search, vectors: Vectors): Promise<Item[]> {
    const wanted = search.query === undefined ? undefined : vectors.get(search.query);
    if (wanted === undefined) return listItems(tx, search);
    const query = { ...search, wanted };
    const near = (await this.#options.pgvector?.findNearest(tx, query)) ?? (await findNearest(tx, query));
    return readNear(tx, near);
  }

  /** Restarts the lifetime of items that were read without restarting it. */
  async wasRead(items: readonly Item[], refresh: boolean | null | undefined): Promise<void> {
    await this.#wasRead(this.#options.db, items, refresh);
  }

  // oxlint-disable-next-line roadstead/two-positional -- where, what, and how
  async #wasRead(db: Queryable, items: readonly Item[], refresh: boolean | null | undefined): Promise<void> {
    if (refresh ?? this.#options.settings()?.ttl?.refresh_on_read ?? true) await prolong(db, items);
  }

  #ttlOf({ ttl, value }: Put): number | null {
    if (value === null) return null;
    return ttl === undefined ? (this.#options.settings()?.ttl?.default_ttl ?? null) : ttl;
  }

  #textsOf({ value, index }: Put): { readonly path: string; readonly text: string }[] {
    const fields = this.#options.settings()?.index?.fields ?? [];
    if (value === null || index === false) return [];
    return (index ?? fields).flatMap((path) =>
      textsAt(value, path).map((text, at) => ({ path: at === 0 ? path : `${path}.${at}`, text })),
    );
  }

  /** The texts to embed, each once; none without an index. */
  #textsToEmbed(operations: readonly StoreOperation[]): readonly string[] {
    if (!this.#options.settings()?.index) return [];
    const texts = new Set(
      operations.flatMap((one) => {
        if (one.op === 'search') return one.query ? [one.query] : [];
        return one.op === 'put' ? this.#textsOf(one).map(({ text }) => text) : [];
      }),
    );
    return [...texts];
  }

  async #embed(texts: readonly string[]): Promise<Vectors> {
    const index = this.#options.settings()?.index;
    if (!index) return NO_VECTORS;
    const vectors = new Map<string, Buffer>();
    for (let from = 0; from < texts.length; from += EMBEDDED) {
      const some = texts.slice(from, from + EMBEDDED);
      const { vectors: made } = await this.#options.ask('embed', { texts: some });
      for (const [at, text] of some.entries()) vectors.set(text, packed(made[at], index.dims));
    }
    return vectors;
  }
}

const isScan = ({ op }: StoreOperation) => op === 'search' || op === 'list_namespaces';

/** A store whose items are found by name and filter only, and never expire. */
export function withoutIndex(db: Database): Items {
  const ask = () => Promise.reject(new Error('There is no embedder.'));
  return new Items({ db, searches: db, settings: () => null, ask, onExpiry: () => undefined });
}

function packed(vector: readonly number[] | undefined, dims: number): Buffer {
  if (vector?.length === dims && vector.every(Number.isFinite)) return packVector(vector);
  throw new Problem(
    'invalid',
    `The embedder of the store gave no vector of ${dims} dimensions, as store.index.dims says.`,
  );
}
