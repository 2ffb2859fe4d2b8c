import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Blobs } from '@roadstead/blobs';
import { Problem } from '@roadstead/kit';
import { type BulkConnection, openBulkConnection } from '@roadstead/postgres';
import { quoted, target } from './dump-store.ts';
import type { SchemaDump, TableDump } from './manifest.ts';
import { listTableNames } from './table-shapes-store.ts';

interface LoadOptions {
  readonly url: string;
  readonly tables: Blobs;
  readonly signal: AbortSignal;
  readonly onRows: (rows: number) => void;
}

/**
 * Puts the rows of a dump in place of all that the schema has, in one transaction. Its tables are there, with the steps
 * that the dump has seen.
 */
export async function loadSchema(dump: SchemaDump, loading: LoadOptions): Promise<void> {
  await using db = await openBulkConnection({ url: loading.url, name: 'roadstead restore' });
  const { schema } = dump;
  await db.run('begin');
  const there = (await listTableNames(db, schema)).map((name) => `${quoted(schema)}.${quoted(name)}`);
  // What they count or notify of is in the dump.
  for (const table of there) await db.run(`alter table ${table} disable trigger user`);
  if (there.length > 0) await db.run(`truncate ${there.join(', ')}`);
  for (const table of dump.tables) {
    loading.signal.throwIfAborted();
    await loadTable(db, { ...loading, schema, table });
    loading.onRows(table.rows);
  }
  for (const { name, last_value } of dump.sequences)
    await db.query('select setval($1::regclass, $2::bigint)', [
      `${quoted(schema)}.${quoted(name)}`,
      last_value,
    ]);
  for (const table of there) await db.run(`alter table ${table} enable trigger user`);
  await db.run('commit');
  if (there.length > 0) await db.run(`analyze ${there.join(', ')}`);
}

interface TableLoad extends Pick<LoadOptions, 'tables' | 'signal'> {
  readonly schema: string;
  readonly table: TableDump;
}

async function loadTable(db: BulkConnection, { schema, table, tables, signal }: TableLoad): Promise<void> {
  const found = await tables.get(table.digest);
  if (found === undefined) throw damaged(`The rows of ${schema}.${table.name} are missing.`);
  const rows = db.copyIn(`copy ${target(schema, table)} from stdin`);
  await pipeline(Readable.fromWeb(found.stream as never), createGunzip(), rows, { signal });
  // The count comes after the rows.
  await db.run('select');
  if (rows.rowCount !== table.rows)
    throw damaged(`The rows of ${schema}.${table.name} are ${rows.rowCount}, not ${table.rows}.`);
}

export const damaged = (sentence: string) =>
  new Problem('invalid', `The backup is damaged. ${sentence}`, { hint: 'Restore an earlier one.' });
