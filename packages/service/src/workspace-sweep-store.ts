import { type Database, isForeignKeyViolation, type Queryable } from '@roadstead/postgres';

/**
 * Sweeps everything that a schema keeps of a workspace: every row of every table with a column `workspace_id`, found
 * in the catalogue, so that no table is forgotten.
 */

const ROWS_AT_ONCE = 5000;

interface WorkspaceTable {
  readonly name: string;
  /** The table's name, quoted and with its schema. */
  readonly address: string;
  readonly type: string;
}

/** Lists tables with rows of their own; of a partitioned table each partition. */
async function listTables(db: Queryable, schema: string): Promise<WorkspaceTable[]> {
  return db.query(
    `select c.relname as name, format('%I.%I', n.nspname, c.relname) as address,
       format_type(a.atttypid, null) as type
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
     where n.nspname = $1 and c.relkind = 'r' order by c.relname`,
    [schema],
  );
}

export interface SweepScope {
  readonly schema: string;
  readonly workspace_id: string;
  /** Tables that empty by themselves, once what they refer to is gone. */
  readonly except?: readonly string[];
}

/** The tables in which the workspace has rows. */
export async function listTablesWithRows(
  db: Queryable,
  { schema, workspace_id, except = [] }: SweepScope,
): Promise<string[]> {
  const found: string[] = [];
  for (const { name, address, type } of await listTables(db, schema)) {
    if (except.includes(name)) continue;
    const row = await db.maybe(`select from ${address} where workspace_id = $1::${type} limit 1`, [
      workspace_id,
    ]);
    if (row !== undefined) found.push(name);
  }
  return found;
}

/**
 * Removes rows until none is left or nothing more can be removed now. It may be interrupted at any moment and begun
 * again.
 */
export async function sweepWorkspace(db: Database, swept: SweepScope): Promise<void> {
  const { schema, workspace_id, except = [] } = swept;
  const tables = (await listTables(db, schema)).filter(({ name }) => !except.includes(name));
  for (let removed = 1; removed > 0;) {
    removed = 0;
    for (const table of tables) removed += await sweepTable(db, { table, workspace_id });
  }
}

interface TableOf {
  readonly table: WorkspaceTable;
  readonly workspace_id: string;
}

async function sweepTable(db: Database, { table, workspace_id }: TableOf): Promise<number> {
  let removed = 0;
  for (;;) {
    const some = await db
      .run(
        `delete from ${table.address} where workspace_id = $1::${table.type} and ctid = any(array(
           select ctid from ${table.address} where workspace_id = $1::${table.type} limit ${ROWS_AT_ONCE}))`,
        [workspace_id],
      )
      .catch((error: unknown) => {
        // Rows that refer to these go first.
        if (isForeignKeyViolation(error)) return 0;
        throw error;
      });
    removed += some;
    if (some < ROWS_AT_ONCE) return removed;
  }
}
