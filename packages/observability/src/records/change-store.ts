import { type UnderLock, nowLocked, type Queryable, type Transaction } from '@roadstead/postgres';
import { listWaitingWorkspaces } from '../claims/waiting-workspace-store.ts';
import type { PartitionKey } from '../partitions/week-rules.ts';
import type { InWorkspace } from '../values/keys.ts';

/** Records of runs that were written, moved or removed and are not digested yet. */

export interface RunPlace extends PartitionKey {
  readonly workspace_id: string;
  readonly run_id: string;
}

/** Runs of one partition. */
export interface Change extends PartitionKey {
  readonly run_ids: readonly string[];
}

/**
 * Must be called in the transaction that writes, moves or removes the runs, so that both commit together. A run that
 * has left its partition by the time the change is digested leaves search rows and rollups.
 */
export async function noteChanges(tx: Transaction, runs: readonly RunPlace[]): Promise<void> {
  const changes = [...Map.groupBy(runs, placeText).values()].flatMap((some) => {
    const run_ids = [...new Set(some.map((run) => run.run_id))];
    const parts = Math.ceil(run_ids.length / RUNS_PER_CHANGE);
    return Array.from({ length: parts }, (_, part) => ({
      place: some[0],
      run_ids: run_ids.slice(part * RUNS_PER_CHANGE, (part + 1) * RUNS_PER_CHANGE),
    }));
  });
  if (changes.length === 0) return;
  await tx.run(
    `insert into traces.changes (workspace_id, tier, week, run_ids)
     select workspace_id, tier, week, run_ids::uuid[]
     from unnest($1::uuid[], $2::text[], $3::date[], $4::text[]) as u(workspace_id, tier, week, run_ids)`,
    [
      changes.map(({ place }) => place?.workspace_id),
      changes.map(({ place }) => place?.tier),
      changes.map(({ place }) => place?.week),
      changes.map(({ run_ids }) => `{${run_ids.join(',')}}`),
    ],
  );
}

const placeText = ({ workspace_id, tier, week }: RunPlace) => `${workspace_id}/${tier}/${week}`;

/** A digest takes whole changes into memory. */
const RUNS_PER_CHANGE = 500;

/** The same within one statement, for the rows of `source`: a common table expression with the columns of `RunPlace`. */
export const notingChanges = (source: string): string =>
  `insert into traces.changes (workspace_id, tier, week, run_ids)
   select workspace_id, tier, week, array_agg(run_id) from (
     select *, (row_number() over (partition by workspace_id, tier, week) - 1) / ${RUNS_PER_CHANGE} as part
     from (select distinct workspace_id, tier, week, run_id from ${source}) distinct_runs
   ) numbered group by workspace_id, tier, week, part`;

/** Lets one digest of a workspace run at a time, on any instance; the others wait, or do something else. */
export async function lockDigest(tx: Transaction, workspace_id: string): Promise<UnderLock<'digest'>> {
  await tx.run(`select pg_advisory_xact_lock(${lockOf('$1')})`, [workspace_id]);
  return nowLocked(tx);
}

/** Undefined where another instance digests it. */
export async function tryLockDigest(
  tx: Transaction,
  workspace_id: string,
): Promise<UnderLock<'digest'> | undefined> {
  const { taken } = await tx.one<{ taken: boolean }>(
    `select pg_try_advisory_xact_lock(${lockOf('$1')}) as taken`,
    [workspace_id],
  );
  return taken ? nowLocked(tx) : undefined;
}

const lockOf = (workspace_id: string) =>
  `hashtextextended('roadstead.traces.digest.' || ${workspace_id}::text, 0)`;

/** Takes some of the oldest changes, of up to about so many runs. */
export async function takeChanges(
  tx: UnderLock<'digest'>,
  { workspace_id, runs }: InWorkspace & { readonly runs: number },
): Promise<Change[]> {
  return tx.query<Change>(
    `delete from traces.changes where id = any (array(
       select id from (
         select id, sum(cardinality(run_ids)) over (order by id) - cardinality(run_ids) as before from (
           select id, run_ids from traces.changes where workspace_id = $1 order by id limit 100
         ) oldest
       ) summed where before < $2))
     returning tier, week, run_ids`,
    [workspace_id, runs],
  );
}

/** The last change of a workspace that is committed; undefined when nothing is pending. */
export async function findLastChange(db: Queryable, workspace_id: string): Promise<string | undefined> {
  const { last } = await db.one<{ last: string | null }>(
    'select max(id)::text as last from traces.changes where workspace_id = $1',
    [workspace_id],
  );
  return last ?? undefined;
}

/** Whether a change up to this one is pending. */
export async function isPending(
  db: Queryable,
  { workspace_id, last }: InWorkspace & { readonly last: string },
): Promise<boolean> {
  const rows = await db.query(
    'select from traces.changes where workspace_id = $1 and id <= $2::bigint limit 1',
    [workspace_id, last],
  );
  return rows.length > 0;
}

/** Workspaces with something to digest. */
export async function listChangedWorkspaces(db: Queryable): Promise<string[]> {
  return listWaitingWorkspaces(db, { table: 'traces.changes', by: 'id' });
}
