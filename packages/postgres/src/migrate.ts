import { escapeIdentifier } from 'pg';
import { isConnectionError } from './database-error.ts';
import { type Database, type UnderLock, nowLocked, type Transaction } from './database.ts';

/** One step of a schema. Once published, it never changes. */
export interface Migration {
  /** Numbered from 1 upwards, in order of application. */
  readonly id: number;
  readonly name: string;
  /** Statements that a transaction allows; unqualified names are in the schema. */
  readonly sql: string;
  /** Whether programs that do not know this step can no longer read the schema. */
  readonly breaking?: boolean;
}

/** The database is ahead of this program by a step that it cannot work with. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
  constructor() {
    super(
      'The database was written by a newer Roadstead whose schema this version cannot read; ' +
        'start the newer version, or restore a backup.',
    );
  }
}

interface MigrateOptions {
  readonly schema: string;
  readonly migrations: readonly Migration[];
  /** Whether the rows of the schema come from a backup next. */
  readonly restores?: boolean;
}

/**
 * Brings a schema up to date, each missing step in a transaction of its own. Several processes may do so at once.
 * @throws SchemaTooNewError when a newer program made a breaking step.
 * @throws Error which names the step that failed; those before it stay applied.
 */
export async function migrate(
  db: Database,
  { schema, migrations, restores = false }: MigrateOptions,
): Promise<void> {
  const ordered = [...migrations].sort((a, b) => a.id - b.id);
  const twice = ordered.find(({ id }, index) => id === ordered[index + 1]?.id);
  if (twice) throw new Error(`Two migrations of ${schema} have the number ${twice.id}.`);
  let more = true;
  while (more)
    more = await db.patientTransaction(async (tx) => {
      const locked = await lockSchema(tx, schema);
      if (!restores) await refuseHalfRestored(locked, schema);
      return applyNext(locked, schema, ordered);
    });
}

/** While a schema is being restored, a table in it says of which backup. */
export const RESTORED_FROM = 'restored_from';

async function refuseHalfRestored(tx: UnderLock<'schema'>, schema: string): Promise<void> {
  const { isHalf } = await tx.one<{ isHalf: boolean }>(
    `select to_regclass(format('%I.%I', $1::text, $2::text)) is not null as "isHalf"`,
    [schema, RESTORED_FROM],
  );
  if (isHalf)
    throw new Error(
      `The schema ${schema} is being restored from a backup, or that was cut off; run \`roadstead backup restore\` to its end.`,
    );
}

async function lockSchema(tx: Transaction, schema: string): Promise<UnderLock<'schema'>> {
  await tx.run(`select pg_advisory_xact_lock(hashtextextended('roadstead.migrate.' || $1, 0))`, [schema]);
  return nowLocked(tx);
}

/** Answers whether it applied a step, so that there may be more. */
async function applyNext(
  tx: UnderLock<'schema'>,
  schema: string,
  migrations: readonly Migration[],
): Promise<boolean> {
  const quoted = escapeIdentifier(schema);
  await ensureTable(tx, schema, quoted);
  const applied = await tx.query<{ id: number; breaking: boolean }>(
    `select id, breaking from ${quoted}.migrations`,
  );
  const known = new Set(migrations.map(({ id }) => id));
  if (applied.some(({ id, breaking }) => breaking && !known.has(id))) throw new SchemaTooNewError();
  const done = new Set(applied.map(({ id }) => id));
  const next = migrations.find(({ id }) => !done.has(id));
  if (!next) return false;
  await apply(tx, schema, next);
  await tx.run(`insert into ${quoted}.migrations (id, name, breaking) values ($1, $2, $3)`, [
    next.id,
    next.name,
    next.breaking ?? false,
  ]);
  return true;
}

/** Checks before it creates: `if not exists` needs the right to create even where the table exists. */
async function ensureTable(tx: UnderLock<'schema'>, schema: string, quoted: string): Promise<void> {
  const found = await tx.maybe<{ has_table: boolean }>(
    `select exists (select from pg_class c where c.relnamespace = n.oid and c.relname = 'migrations') as has_table
     from pg_namespace n where n.nspname = $1`,
    [schema],
  );
  if (!found) await tx.run(`create schema ${quoted}`);
  if (found?.has_table) return;
  await tx.run(`create table ${quoted}.migrations (
    id integer primary key,
    name text not null,
    breaking boolean not null,
    applied_at timestamptz not null default now()
  )`);
}

async function apply(tx: UnderLock<'schema'>, schema: string, { id, name, sql }: Migration): Promise<void> {
  try {
    await tx.run(`set local search_path to ${escapeIdentifier(schema)}`);
    await tx.run(sql);
  } catch (error) {
    if (!(error instanceof Error) || isConnectionError(error)) throw error;
    throw new Error(`Migration ${id} (${name}) of ${schema} failed: ${error.message}`, { cause: error });
  }
}
