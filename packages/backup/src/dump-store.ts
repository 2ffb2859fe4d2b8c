import { createGzip } from 'node:zlib';
import type { Blobs } from '@roadstead/blobs';
import { openBulkConnection } from '@roadstead/postgres';
import type { SchemaDump, TableDump } from './manifest.ts';
import { listMigrations, listSequences, listTables, type TableShape } from './table-shapes-store.ts';

/** A database of the installation, and those of its schemas that are ours. */
export interface SourceDatabase {
  readonly name: string;
  readonly url: string;
  readonly schemas: readonly string[];
}

interface DumpOptions {
  /** Where the rows of each table go. */
  readonly tables: Blobs;
  readonly signal: AbortSignal;
  /** Told how many rows of a table were copied. */
  readonly onRows: (rows: number) => void;
}

/** Level 1 takes a third of the time of the usual one, for a tenth more bytes. */
const COMPRESSION = { level: 1 };

/** Copies all rows as they are at one moment, while the database is in use. Schemas that are not there are left out. */
export async function dumpSchemas(
  { name, url, schemas }: SourceDatabase,
  { tables, signal, onRows }: DumpOptions,
): Promise<SchemaDump[]> {
  await using db = await openBulkConnection({ url, name: 'roadstead backup' });
  await db.run('begin isolation level repeatable read read only');
  const dumps: SchemaDump[] = [];
  for (const schema of schemas) {
    const migrations = await listMigrations(db, schema);
    if (migrations.length === 0) continue;
    const dumped: TableDump[] = [];
    for (const shape of await listTables(db, schema)) {
      signal.throwIfAborted();
      const rows = db.copyOut(`copy ${target(schema, shape)} to stdout`);
      const packed = rows.pipe(createGzip(COMPRESSION));
      rows.on('error', (error) => packed.destroy(error));
      const { digest } = await tables.put(packed, { max_bytes: Infinity });
      dumped.push({ name: shape.name, columns: [...shape.columns], rows: rows.rowCount ?? 0, digest });
      onRows(rows.rowCount ?? 0);
    }
    const sequences = await listSequences(db, schema);
    dumps.push({ database: name, schema, migrations, tables: dumped, sequences });
  }
  return dumps;
}

/** A table and its columns, for a `COPY`. */
export const target = (schema: string, { name, columns }: TableShape): string =>
  `${quoted(schema)}.${quoted(name)} (${columns.map(quoted).join(', ')})`;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
