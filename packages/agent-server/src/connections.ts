import { SERVER_CONNECTIONS } from '@roadstead/contracts/control-plane';
import { type Log, Problem } from '@roadstead/kit';
import { type Database, isTooSlow, migrate, openDatabase } from '@roadstead/postgres';
import { ENGINE_SCHEMA, engineMigrations } from './database/engine-migrations.ts';
import { withKeyedPlans } from './database/keyed-plans.ts';
import { Pgvector } from './store/pgvector.ts';

export interface Connections extends AsyncDisposable {
  /** Connections for runs, which look rows up by key only. */
  readonly db: Database;
  /** Connections for queries over many rows, so that no run waits for them. */
  readonly searches: Database;
  /** Defined where the database has the extension. */
  readonly pgvector: Pgvector | undefined;
}

/** A search that takes longer is aborted. */
const SEARCH_MS = 10_000;
/** The connections for searches, among those that every deployment may have. */
const SEARCHES = 3;

/** Opens the database of a deployment, in the form that this version needs. */
export async function openConnections({
  deployment_id,
  database_url: url,
  search_ms = SEARCH_MS,
  log,
}: {
  readonly deployment_id: string;
  readonly database_url: string;
  readonly search_ms?: number;
  readonly log: Log;
}): Promise<Connections> {
  await using stack = new AsyncDisposableStack();
  const name = `roadstead agent ${deployment_id}`;
  const schema = ENGINE_SCHEMA;
  const db = stack.use(
    openDatabase({ url: withKeyedPlans(url), max: SERVER_CONNECTIONS - SEARCHES, name, schema }),
  );
  await migrate(db, { schema, migrations: engineMigrations });
  const searches = stack.use(
    openDatabase({ url, max: SEARCHES, limit_ms: search_ms, name: `${name} searches`, schema }),
  );
  const pgvector = await Pgvector.open({ db: searches, log });
  if (pgvector) stack.use(pgvector);
  const opened = stack.move();
  return {
    db,
    pgvector,
    searches: inLimitedTime(searches, search_ms),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Reports a query that takes too long as such; the statement itself only sees a lost connection. */
function inLimitedTime(db: Database, limit_ms: number): Database {
  const said = (cause: unknown): never => {
    if (!isTooSlow(cause)) throw cause;
    throw new Problem(
      'invalid',
      `The search took longer than ${limit_ms / 1000} seconds and was cancelled.`,
      {
        hint: 'Narrow it down: by ids, by metadata, by a namespace, or to a smaller page.',
        cause,
      },
    );
  };
  return {
    ...db,
    query: (...asked) => db.query<never>(...asked).catch(said),
    one: (...asked) => db.one<never>(...asked).catch(said),
    maybe: (...asked) => db.maybe<never>(...asked).catch(said),
    run: (...asked) => db.run(...asked).catch(said),
    prepared: (...asked) => db.prepared<never>(...asked).catch(said),
    transaction: (work) => db.transaction(work).catch(said),
  };
}
