import { addAbortSignal } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Blobs } from '@roadstead/blobs';
import { Problem } from '@roadstead/kit';
import { type BulkConnection, openBulkConnection } from '@roadstead/postgres';
import type { SchemaDump, TableDump } from './manifest.ts';
import { listMigrations, listSequences, listTables, type TableShape } from './table-shapes-store.ts';

/** A database of the installation, and those of its schemas that are ours. */
export interface SourceDatabase {
  readonly name: string;
  readonly url: string;
  readonly schemas: readonly string[];
  /** Whether a database that a backup may lack was removed meanwhile. */
  readonly isGone?: () => Promise<boolean>;
}

interface DumpOptions {
  /** Where the rows of each table go. */
  readonly tables: Blobs;
  readonly signal: AbortSignal;
  /** Told how many rows of a table were copied. */
  readonly onRows: (rows: number) => void;
}

/** The fastest: a backup is to be soon made, and what did not change is there once. */
const COMPRESSION = { level: 1 };

/**
 * Copies all rows as they are at one moment, while the database is in use.
 * @throws Problem `invalid` where a schema is not there
 */
export async function dumpSchemas(
  source: SourceDatabase,
  { tables, signal, onRows }: DumpOptions,
): Promise<SchemaDump[]> {
  await using db = await openBulkConnection({ url: source.url, name: 'roadstead backup' });
  const dumps: SchemaDump[] = [];
  for (const { schema, migrations, shapes } of await beginDump(db, source)) {
    const dumped: TableDump[] = [];
    for (const shape of shapes) {
      signal.throwIfAborted();
      const rows = db.copyOut(`copy ${target(schema, shape)} to stdout`);
      const packed = addAbortSignal(signal, rows.pipe(createGzip(COMPRESSION)));
      rows.on('error', (error) => packed.destroy(error));
      const { digest } = await tables.put(packed, { max_bytes: Infinity });
      // The count comes after the rows.
      await db.run('select');
      const count = rows.rowCount ?? 0;
      dumped.push({ name: shape.name, columns: [...shape.columns], rows: count, digest });
      onRows(count);
    }
    const sequences = await listSequences(db, schema);
    dumps.push({ database: source.name, schema, migrations, tables: dumped, sequences });
  }
  return dumps;
}

interface BegunDump {
  readonly schema: string;
  readonly migrations: number[];
  readonly shapes: readonly TableShape[];
}

/** How often tables may be dropped between the look at them and their lock. */
const TRIES = 5;

/** Begins the transaction whose moment is copied, and keeps its tables as they are until it ends. */
async function beginDump(
  db: BulkConnection,
  { name, schemas, isGone }: SourceDatabase,
): Promise<BegunDump[]> {
  for (let tries = 1; ; tries += 1) {
    await db.run('begin isolation level repeatable read read only');
    try {
      const begun: BegunDump[] = [];
      for (const schema of schemas) {
        const migrations = await listMigrations(db, schema);
        // One of a deployment is made before its tables.
        if (migrations.length === 0 && isGone !== undefined) continue;
        if (migrations.length === 0)
          throw new Problem(
            'invalid',
            `The database ${name} has no schema ${schema}: it is another one, or empty.`,
            {
              hint: 'The settings of the services name where each is: DATABASE_URL, TRACES_DATABASE_URL, ROADSTEAD_AGENTS_DATABASE_URL.',
            },
          );
        const shapes = await listTables(db, schema);
        const names = shapes.map((shape) => `${quoted(schema)}.${quoted(shape.name)}`);
        await db.run(`lock table ${names.join(', ')} in access share mode`);
        begun.push({ schema, migrations, shapes });
      }
      return begun;
    } catch (error) {
      await db.run('rollback');
      if (error instanceof Problem || tries === TRIES) throw error;
    }
  }
}

/** A table and its columns, for a `COPY`. */
export const target = (schema: string, { name, columns }: TableShape): string =>
  `${quoted(schema)}.${quoted(name)} (${columns.map(quoted).join(', ')})`;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
