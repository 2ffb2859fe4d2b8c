import { type Database, openDatabase } from '@roadstead/postgres';
import { ENGINE_SCHEMA, engineMigrations } from '../database/engine-migrations.ts';
import { takeEpoch } from '../runs/run-store.ts';
import { freshDatabase } from '@roadstead/testing';

export interface EngineDatabase extends AsyncDisposable {
  readonly db: Database;
  readonly url: string;
  /** Raises the epoch like an engine that is opened. */
  takeEpoch(): Promise<number>;
}

export const engineSchema = { schema: ENGINE_SCHEMA, migrations: engineMigrations };

/** A deployment's own database without an engine; for tests. */
export async function engineDatabase(): Promise<EngineDatabase> {
  await using stack = new AsyncDisposableStack();
  const fresh = stack.use(await freshDatabase('test', [engineSchema]));
  const db = stack.use(openDatabase({ url: fresh.url, max: 4, name: 'test', schema: ENGINE_SCHEMA }));
  const kept = stack.move();
  return {
    db,
    url: fresh.url,
    takeEpoch: () => takeEpoch(db),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
