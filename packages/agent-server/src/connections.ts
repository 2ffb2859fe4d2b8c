import { type Database, migrate, openDatabase } from '@roadstead/kit';
import { ENGINE_SCHEMA, engineMigrations } from './runs/engine-migrations.ts';
import { withKeyedPlans } from './runs/keyed-plans.ts';

export interface Connections extends AsyncDisposable {
  /** For runs: keyed access only. */
  readonly db: Database;
  /** For what looks at many rows, so that no run waits for it. */
  readonly searches: Database;
}

/** A search that takes longer is given up. */
const SEARCH_MS = 10_000;
/** Opens the database of a deployment, in the form that this version needs. */
export async function openConnections({
  deployment_id,
  database_url: url,
}: {
  readonly deployment_id: string;
  readonly database_url: string;
}): Promise<Connections> {
  await using stack = new AsyncDisposableStack();
  const name = `roadstead agent ${deployment_id}`;
  const schema = ENGINE_SCHEMA;
  const db = stack.use(openDatabase({ url: withKeyedPlans(url), max: 4, name, schema }));
  await migrate(db, { schema, migrations: engineMigrations });
  const searches = stack.use(
    openDatabase({ url, max: 2, limit_ms: SEARCH_MS, name: `${name} searches`, schema }),
  );
  const opened = stack.move();
  return { db, searches, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
