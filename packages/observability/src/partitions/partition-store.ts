import type { Database, Queryable } from '@roadstead/postgres';
import { STORAGE, statisticsOf } from './upkeep-store.ts';
import { type PartitionKey, tableOf } from './week-rules.ts';

/** The tables of runs, payloads and search rows: one of each for each tier and week. */

const parents = ['runs', 'payloads', 'search'] as const;
const LOCK = `select pg_advisory_xact_lock(hashtextextended('roadstead.traces.partitions', 0))`;
const fits = /^(shortlived|longlived)_\d{8}$/;

/**
 * Makes a partition where it is missing. Several processes may do so at once. It is created separately and then
 * attached, which does not block readers and writers.
 */
export async function ensurePartition(db: Database, key: PartitionKey): Promise<void> {
  if (await exists(db, key)) return;
  await db.transaction(async (tx) => {
    await tx.run(LOCK);
    if (await exists(tx, key)) return;
    for (const parent of parents) {
      const table = nameOf(parent, key);
      await tx.run(
        `create table traces.${table} (like traces.${parent} including defaults including storage) with (${STORAGE})`,
      );
      await tx.run(`alter table traces.${table} ${statisticsOf(parent)}`);
      await tx.run(
        `alter table traces.${parent}_${key.tier} attach partition traces.${table} for values in ('${key.week}')`,
      );
    }
    await tx.run('insert into traces.partitions (tier, week) values ($1, $2)', [key.tier, key.week]);
  });
}

/** Makes the partitions to which tables of these names belong. */
export async function ensurePartitionsOf(db: Database, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const [, tier, year, month, day] = /^runs_([a-z]+)_(\d{4})(\d\d)(\d\d)$/.exec(table) ?? [];
    if (tier !== undefined) await ensurePartition(db, { tier, week: `${year}-${month}-${day}` });
  }
}

export async function listPartitions(db: Queryable): Promise<PartitionKey[]> {
  return db.query<PartitionKey>('select tier, week from traces.partitions order by week desc, tier');
}

/**
 * Forgets the traces of a partition, then drops it with what it added to rollups. May be ended at any moment and begun
 * again; waits a second at most for readers, and rejects then.
 */
export async function dropPartition(db: Database, key: PartitionKey): Promise<void> {
  await deleteInSteps(db, 'traces', key);
  await deleteInSteps(db, 'strays', key);
  await db.transaction(async (tx) => {
    await tx.run(`set local lock_timeout = '1s'`);
    await tx.run(LOCK);
    for (const parent of parents) await tx.run(`drop table if exists traces.${nameOf(parent, key)}`);
    await tx.run('delete from traces.rollups where tier = $1 and week = $2', [key.tier, key.week]);
    await tx.run('delete from traces.partitions where tier = $1 and week = $2', [key.tier, key.week]);
  });
}

const unsharing = `, unshared as (
  delete from traces.shares s using gone g
  where s.kind = 'run' and s.subject_id = g.trace_id and s.workspace_id = g.workspace_id)`;

async function deleteInSteps(db: Database, table: 'traces' | 'strays', key: PartitionKey): Promise<void> {
  const step = `with gone as (
      delete from traces.${table} where ctid = any (array(
        select ctid from traces.${table} where tier = $1 and week = $2 limit 10000))
      returning trace_id, workspace_id
    )${table === 'traces' ? unsharing : ''}
    select count(*) as deleted from gone`;
  let deleted: number;
  do ({ deleted } = await db.one<{ deleted: number }>(step, [key.tier, key.week]));
  while (deleted > 0);
}

async function exists(db: Queryable, { tier, week }: PartitionKey): Promise<boolean> {
  const found = await db.maybe('select from traces.partitions where tier = $1 and week = $2', [tier, week]);
  return found !== undefined;
}

/** Names can't be parameters; nothing but a tier and a date may become one. */
function nameOf(parent: (typeof parents)[number], key: PartitionKey): string {
  const table = tableOf(parent, key);
  if (!fits.test(table.slice(parent.length + 1))) throw new Error(`No partition can be called ${table}.`);
  return table;
}
