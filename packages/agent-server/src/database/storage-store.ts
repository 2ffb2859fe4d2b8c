import type { Database, Queryable } from '@roadstead/postgres';
import { sampledPercent, spareBytesOf, type TableFiles } from './storage-quota-rules.ts';

/** What all of the database takes on the disk of its server. */
export async function readDatabaseBytes(db: Queryable): Promise<number> {
  const { bytes } = await db.one<{ bytes: number }>(`select pg_database_size(current_database()) as bytes`);
  return bytes;
}

/**
 * What the files of the engine's tables hold room for: that of rows that are deleted, which new ones fill before the
 * files grow. Nothing waits for this, and it waits for nothing: a lock that is in the way is an error soon.
 */
export function readSpareBytes(db: Database, signal: AbortSignal): Promise<number> {
  return db.transaction(async (tx) => {
    await tx.run(`set local lock_timeout = '1s'; set local statement_timeout = '5s'`);
    let spare = 0;
    for (const table of await listTables(tx)) {
      signal.throwIfAborted();
      spare += spareBytesOf(table, await readSample(tx, table));
    }
    return spare;
  });
}

interface Table extends TableFiles {
  /** The name is quoted. */
  readonly name: string;
  /** An expression: what the columns of a row take, as it is stored. */
  readonly row_bytes: string;
}

/** Tables below a megabyte are left out: they have nothing to give. */
const listTables = (db: Queryable): Promise<Table[]> =>
  db.query<Table>(
    `select quote_ident(relname) as name, bytes,
       pg_relation_size(c.oid) / current_setting('block_size')::int as pages,
       (select string_agg(format('coalesce(pg_column_size(%I), 0)', attname), ' + ')
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as row_bytes
     from pg_class c, pg_table_size(c.oid) as bytes
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and bytes >= 1048576`,
  );

/** Always the same pages, so that the figure is steady. */
const readSample = (db: Queryable, { name, pages, row_bytes }: Table) =>
  db.one<{ rows: number; bytes: number }>(
    `select count(*) as rows, coalesce(sum(${row_bytes}), 0) as bytes
     from ${name} tablesample system ($1::real) repeatable (0)`,
    [sampledPercent(pages)],
  );
