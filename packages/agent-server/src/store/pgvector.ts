import type { Log } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { fillSome, findNearestInside, hasUnfilled, preparePgvector } from './pgvector-store.ts';
import type { Near, NearestQuery } from './vector-store.ts';

interface PgvectorOptions {
  readonly db: Database;
  readonly log: Log;
}

/**
 * The search by meaning where the deployment's database has pgvector. Rows that were written without it are filled in
 * while the server runs; until then, vectors are compared without it.
 */
export class Pgvector implements AsyncDisposable {
  /** The schema of the extension, quoted. */
  readonly schema: string;
  readonly #db: Database;
  readonly #log: Log;
  readonly #stop = new AbortController();
  #filling: Promise<void> | undefined;

  private constructor(schema: string, { db, log }: PgvectorOptions) {
    this.schema = schema;
    this.#db = db;
    this.#log = log;
  }

  /** Undefined where the database does not have it. */
  static async open(options: PgvectorOptions): Promise<Pgvector | undefined> {
    const found = await preparePgvector(options.db);
    if ('refused' in found) {
      options.log.debug('pgvector is not used', { reason: found.refused });
      return undefined;
    }
    const pgvector = new Pgvector(found.schema, options);
    void pgvector.fill();
    return pgvector;
  }

  /** Undefined where the vectors must be compared without it. */
  async findNearest(tx: Transaction, query: NearestQuery): Promise<Near[] | undefined> {
    if (await hasUnfilled(tx)) {
      void this.fill();
      return undefined;
    }
    return findNearestInside(tx, { schema: this.schema, query });
  }

  /** Fills in rows that were written without the extension, a few at a time. */
  fill(): Promise<void> {
    return (this.#filling ??= this.#fill().finally(() => (this.#filling = undefined)));
  }

  async #fill(): Promise<void> {
    try {
      let more = true;
      while (more && !this.#stop.signal.aborted) more = await fillSome(this.#db, this.schema);
    } catch (error) {
      this.#log.info('vectors could not be filled in for pgvector', { error });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#filling;
  }
}
