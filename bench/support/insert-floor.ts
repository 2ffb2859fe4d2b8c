import { type Database, openDatabase } from '../../packages/postgres/src/index.ts';

/** The tables that hold what a trace leaves: when it is acknowledged, and what finds it afterwards. */
const tables = { acknowledged: ['traces', 'runs', 'payloads'], found: ['search'] } as const;

interface Column {
  readonly name: string;
  readonly type: string;
}

interface TableRows {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export interface InsertFloor extends AsyncDisposable {
  /** Inserts the next so many runs with all that belongs to them, in one commit. */
  insert(count: number): Promise<void>;
}

/**
 * The rows that our ingestion wrote, ready to be written again: into tables with the same columns and indexes on the
 * same server, by the fewest statements there are.
 */
export async function openInsertFloor(
  url: string,
  { is_found }: { readonly is_found: boolean },
): Promise<InsertFloor> {
  await using stack = new AsyncDisposableStack();
  const db = stack.use(openDatabase({ url, max: 8, name: 'bench', schema: 'bench_floor' }));
  await db.run('drop schema if exists bench_floor cascade; create schema bench_floor');
  const names = is_found ? [...tables.acknowledged, ...tables.found] : tables.acknowledged;
  const copies = await Promise.all(names.map((table) => copyOf(db, table)));
  let at = 0;
  const opened = stack.move();
  return {
    insert: async (count) => {
      const from = at;
      at += count;
      await db.transaction(async (tx) => {
        for (const { table, columns, rows } of copies) {
          const batch = rows.slice(from, from + count);
          await tx.run(
            insertOf(table, columns),
            columns.map((column) => batch.map((row) => row[column.name])),
          );
        }
      });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function copyOf(db: Database, table: string): Promise<TableRows> {
  await db.run(`create table bench_floor.${table} (like traces.${table} including all)`);
  const columns = await db.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = 'traces.${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  const selected = columns.map(({ name, type }) => (type === 'bytea' ? name : `${name}::text`));
  const key = table === 'traces' ? 'trace_id' : 'run_id';
  return {
    table,
    columns,
    rows: await db.query(
      `select ${selected.join(', ')} from traces.${table} order by traces.${table}.${key}`,
    ),
  };
}

function insertOf(table: string, columns: readonly Column[]): string {
  const arrays = columns.map(({ type }, at) => `$${at + 1}::${type === 'bytea' ? 'bytea' : 'text'}[]`);
  const values = columns.map(({ name, type }) => (type === 'bytea' ? name : `${name}::${type}`));
  const names = columns.map(({ name }) => name).join(', ');
  return `insert into bench_floor.${table} (${names}) select ${values.join(', ')} from unnest(${arrays.join(', ')}) as t(${names})`;
}
