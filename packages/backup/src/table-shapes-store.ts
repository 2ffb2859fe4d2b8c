import { type Queryable, RESTORED_FROM } from '@roadstead/postgres';

/** A table with rows of its own; of a partitioned table each partition. */
export interface TableShape {
  readonly name: string;
  /** Those that are stored and not computed from others. */
  readonly columns: readonly string[];
}

/** Steps are applied and not copied; the other says that a schema is being restored. */
const NOT_COPIED = `('migrations', '${RESTORED_FROM}')`;

/**
 * The tables of a schema, each after those that it refers to. What an extension keeps beside our own columns is left
 * out: it is computed again.
 */
export async function listTables(db: Queryable, schema: string): Promise<TableShape[]> {
  const tables = await db.query<TableShape & { readonly root: string }>(
    `select c.relname as name, coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as root,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
          and not exists (select from pg_depend d
            where d.classid = 'pg_type'::regclass and d.objid = a.atttypid and d.deptype = 'e')) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r' and c.relname not in ${NOT_COPIED} order by c.relname`,
    [schema],
  );
  const references = await db.query<{ readonly from: string; readonly to: string }>(
    `select distinct conrelid::regclass::text as "from", confrelid::regclass::text as "to"
     from pg_constraint k join pg_namespace n on n.oid = k.connamespace
     where n.nspname = $1 and contype = 'f' and conrelid <> confrelid and conparentid = 0`,
    [schema],
  );
  const places = new Map(
    inOrder(
      tables.map(({ root }) => root),
      references,
    ).map((root, place) => [root, place]),
  );
  return tables
    .toSorted((a, b) => (places.get(a.root) ?? 0) - (places.get(b.root) ?? 0))
    .map(({ name, columns }) => ({ name, columns }));
}

/** All tables of a schema, those with partitions included. */
export async function listTableNames(db: Queryable, schema: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p') and c.relname not in ${NOT_COPIED}`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

/** Each name after those that it refers to. */
function inOrder(
  names: readonly string[],
  references: readonly { readonly from: string; readonly to: string }[],
): string[] {
  const placed = new Set<string>();
  const visiting = new Set<string>();
  const place = (name: string) => {
    if (placed.has(name)) return;
    if (visiting.has(name)) throw new Error(`The tables around ${name} refer to each other in a circle.`);
    visiting.add(name);
    for (const { from, to } of references) if (from === name) place(to);
    placed.add(name);
  };
  for (const name of names) place(name);
  return [...placed];
}

/** The steps that a schema has seen; empty where there is no such schema. */
export async function listMigrations(db: Queryable, schema: string): Promise<number[]> {
  const { isThere } = await db.one<{ isThere: boolean }>(
    `select to_regclass(format('%I.migrations', $1::text)) is not null as "isThere"`,
    [schema],
  );
  if (!isThere) return [];
  const rows = await db.query<{ id: number }>(`select id from "${schema}".migrations order by id`);
  return rows.map(({ id }) => id);
}

/** Sequences that have been used. */
export async function listSequences(
  db: Queryable,
  schema: string,
): Promise<{ readonly name: string; readonly last_value: string }[]> {
  return db.query(
    `select sequencename as name, last_value::text as last_value from pg_sequences
     where schemaname = $1 and last_value is not null order by sequencename`,
    [schema],
  );
}
