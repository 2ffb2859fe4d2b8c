import type { Queryable } from '@roadstead/postgres';
import type { TableUse } from './storage-quota-rules.ts';

/** What all of the database takes on the disk of its server. */
export async function readDatabaseBytes(db: Queryable): Promise<number> {
  const { bytes } = await db.one<{ bytes: number }>(`select pg_database_size(current_database()) as bytes`);
  return bytes;
}

/** The tables of the engine; their names are quoted. */
export async function listTableUses(db: Queryable): Promise<TableUse[]> {
  return db.query<TableUse>(
    `select quote_ident(relname) as name, n_live_tup as rows, n_tup_del as deleted
     from pg_stat_user_tables where schemaname = current_schema()`,
  );
}

/** Writes a table anew, without what was deleted from it; nothing else uses it meanwhile. A plain vacuum keeps its files as large as they are. */
export async function compactTable(db: Queryable, { name }: Pick<TableUse, 'name'>): Promise<void> {
  await db.run(`vacuum (full) ${name}`);
}
