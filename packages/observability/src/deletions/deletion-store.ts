import { type UnderLock, nowLocked, type Queryable, type Transaction } from '@roadstead/postgres';
import type { DoomedRun, RemovedCounts } from '../records/run-removal-store.ts';
import { instantText } from '../records/run-store.ts';
import type { DeletedTrace, DeletionRow } from './deletion-row.ts';
import type { InWorkspace, RowKey, TraceKeys } from '../values/keys.ts';

/** Deletions, and the traces that wait for them. These are hidden from the moment they are marked. */

export interface NewDeletion extends InWorkspace {
  readonly deletion_id: string;
}

type MarkedTrace = Omit<DeletedTrace, 'deletion_id'>;
const marking = `update traces.traces t set deletion_id = $2 from chosen c
  where t.trace_id = c.trace_id and t.workspace_id = c.workspace_id
  returning t.workspace_id, t.trace_id, t.tier, t.week`;
// The order in which flushes lock traces, so that neither waits for the other.
const ordered = 'order by t.trace_id, t.workspace_id';
const inOrder = `${ordered} for update`;

/** Marks traces of a project. */
export async function markTraces(
  tx: Transaction,
  { workspace_id, deletion_id }: NewDeletion,
  { session_id, trace_ids }: { readonly session_id: string; readonly trace_ids: readonly string[] },
): Promise<MarkedTrace[]> {
  return tx.query<MarkedTrace>(
    `with chosen as (
       select t.trace_id, t.workspace_id from traces.traces t
       where t.workspace_id = $1 and t.trace_id = any ($3::uuid[]) and t.deletion_id is null
         and exists (select from traces.runs r where r.trace_id = t.trace_id and r.workspace_id = t.workspace_id
           and r.tier = t.tier and r.week = t.week and r.session_id = $4) ${inOrder}
     ) ${marking}`,
    [workspace_id, deletion_id, trace_ids, session_id],
  );
}

/** Marks the traces with a run that has one of the entries. @param terms are those of the entries. */
export async function markTracesByMetadata(
  tx: Transaction,
  { workspace_id, deletion_id }: NewDeletion,
  {
    entries,
    terms,
  }: {
    readonly entries: readonly (readonly [key: string, value: string])[];
    readonly terms: readonly number[];
  },
): Promise<MarkedTrace[]> {
  return tx.query<MarkedTrace>(
    `with chosen as (
       select t.trace_id, t.workspace_id from traces.traces t
       where t.workspace_id = $1 and t.deletion_id is null and t.trace_id in (
         select x.trace_id from traces.search x
         where x.workspace_id = $1 and x.terms && $3::bigint[] and exists (
           select from unnest($4::text[], $5::text[]) as e(key, value)
           where x.metadata @> jsonb_build_object(e.key, e.value)
             or x.metadata @> jsonb_build_object(e.key, jsonb_build_array(e.value)))) ${inOrder}
     ) ${marking}`,
    [workspace_id, deletion_id, terms, entries.map(([key]) => key), entries.map(([, value]) => value)],
  );
}

const EXPIRED_AT_ONCE = 10_000;

/** Marks some of the long-lived traces that arrived in that week or before. */
export async function markTracesByAge(
  tx: Transaction,
  { workspace_id, deletion_id }: NewDeletion,
  { last_week }: { readonly last_week: string },
): Promise<MarkedTrace[]> {
  return tx.query<MarkedTrace>(
    `with chosen as (
       select t.trace_id, t.workspace_id from traces.traces t
       where t.workspace_id = $1 and t.deletion_id is null and t.tier = 'longlived' and t.week <= $3
       ${ordered} limit ${EXPIRED_AT_ONCE} for update
     ) ${marking}`,
    [workspace_id, deletion_id, last_week],
  );
}

export async function insertDeletion(
  tx: Transaction,
  { workspace_id, deletion_id, traces }: NewDeletion & { readonly traces: number },
): Promise<void> {
  await tx.run(
    `insert into traces.deletions (workspace_id, id, traces, completed_at)
     values ($1, $2, $3, case when $3 = 0 then now() end)`,
    [workspace_id, deletion_id, traces],
  );
}

const columns = `d.workspace_id, d.id, d.traces, d.removed, ${instantText('d.created_at')} as created_at,
  ${instantText('d.completed_at')} as completed_at,
  (select count(*) from traces.traces t where t.deletion_id = d.id) as remaining_traces`;

export async function findDeletion(
  db: Queryable,
  { workspace_id, id }: RowKey,
): Promise<DeletionRow | undefined> {
  return db.maybe<DeletionRow>(
    `select ${columns} from traces.deletions d where d.workspace_id = $1 and d.id = $2`,
    [workspace_id, id],
  );
}

export async function listOpenDeletions(db: Queryable): Promise<DeletionRow[]> {
  return db.query<DeletionRow>(
    `select ${columns} from traces.deletions d where d.completed_at is null order by d.created_at limit 1000`,
  );
}

export async function completeDeletion(db: Queryable, { id }: Pick<DeletionRow, 'id'>): Promise<void> {
  await db.run(
    `update traces.deletions d set completed_at = now() where id = $1 and completed_at is null
       and not exists (select from traces.traces t where t.deletion_id = d.id)`,
    [id],
  );
}

export async function addRemoved(
  tx: Transaction,
  { deletion_id, removed }: { readonly deletion_id: string; readonly removed: RemovedCounts },
): Promise<void> {
  await tx.run('update traces.deletions set removed = traces.added(removed, $2::text::jsonb) where id = $1', [
    deletion_id,
    JSON.stringify(removed),
  ]);
}

/** Takes some waiting traces, of about so many runs, that no other transaction removes or writes to at the moment. */
export async function takeDeletedTraces(
  tx: Transaction,
  runs: number,
): Promise<{ readonly traces: readonly DeletedTrace[]; readonly locked: UnderLock<'traces'> }> {
  const found = await tx.query<DeletedTrace & { run_count: number }>(
    `select workspace_id, trace_id, tier, week, deletion_id, run_count from traces.traces
     where deletion_id is not null order by trace_id, workspace_id limit 200 for update skip locked`,
  );
  let before = 0;
  const traces = found.filter(({ run_count }, index) => {
    const taken = index === 0 || before < runs;
    before += run_count;
    return taken;
  });
  return { traces, locked: nowLocked(tx) };
}

/** Lists so many of their runs. */
export async function listRunsOf(
  tx: UnderLock<'traces'>,
  { traces, limit }: { readonly traces: readonly DeletedTrace[]; readonly limit: number },
): Promise<(DoomedRun & { readonly deletion_id: string })[]> {
  return tx.query(
    `select r.run_id, r.workspace_id, r.tier, r.week, r.trace_id, t.deletion_id
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::date[], $5::uuid[])
       as t(trace_id, workspace_id, tier, week, deletion_id)
     join traces.runs r on r.trace_id = t.trace_id and r.workspace_id = t.workspace_id and r.tier = t.tier
       and r.week = t.week
     limit $6`,
    [
      traces.map((trace) => trace.trace_id),
      traces.map((trace) => trace.workspace_id),
      traces.map((trace) => trace.tier),
      traces.map((trace) => trace.week),
      traces.map((trace) => trace.deletion_id),
      limit,
    ],
  );
}

/** Removes the rest of traces that have no runs. */
export async function removeBareTraces(
  tx: UnderLock<'traces'>,
  traces: readonly Pick<DeletedTrace, 'trace_id' | 'workspace_id'>[],
): Promise<void> {
  const ids = [traces.map((trace) => trace.trace_id), traces.map((trace) => trace.workspace_id)];
  const named = 'in (select * from unnest($1::uuid[], $2::uuid[]))';
  await tx.run(`delete from traces.feedback where (trace_id, workspace_id) ${named}`, ids);
  await tx.run(`delete from traces.shares where kind = 'run' and (subject_id, workspace_id) ${named}`, ids);
  await tx.run(`delete from traces.traces where (trace_id, workspace_id) ${named}`, ids);
}

/** Takes the runs of traces out of all annotation queues, and a thread together with its last trace. */
export async function leaveQueues(tx: Transaction, { workspace_id, trace_ids }: TraceKeys): Promise<void> {
  await tx.run(
    `delete from traces.annotation_queue_items i using traces.runs r
     where r.workspace_id = $1 and r.trace_id = any ($2::uuid[])
       and i.workspace_id = r.workspace_id and i.run_id = r.run_id`,
    [workspace_id, trace_ids],
  );
  await tx.run(
    `delete from traces.annotation_queue_items i using traces.traces t
     where t.workspace_id = $1 and t.trace_id = any ($2::uuid[])
       and i.workspace_id = t.workspace_id and i.session_id = t.session_id and i.thread_id = t.thread_id
       and not exists (select from traces.traces o where o.session_id = t.session_id and o.thread_id = t.thread_id
         and o.workspace_id = t.workspace_id and o.deletion_id is null)`,
    [workspace_id, trace_ids],
  );
}
