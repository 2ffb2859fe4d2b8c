import type { Queryable } from '@roadstead/postgres';
import type { RunTree } from './run-record.ts';
import type { RunRow } from '../records/run-row.ts';
import { instantText } from '../records/run-store.ts';
import type { DatasetKey, RunKeys, SessionKeys } from '../values/keys.ts';

type Rows = readonly RunRow[];

/** The place of each run in its trace, by run id; reads every run of the traces, so it is for few runs or on demand. */
export async function readTrees(db: Queryable, rows: Rows): Promise<Map<string, RunTree>> {
  const trees = await db.query<RunTree & { run_id: string }>(
    `select u.run_id, t.* from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::date[], $6::text[])
       as u(workspace_id, run_id, trace_id, tier, week, dotted_order)
     cross join lateral (
       select count(*) filter (where r.dotted_order collate "C" <= u.dotted_order collate "C") as execution_order,
         ${instantText('min(r.start_time)')} as trace_min_start_time,
         ${instantText('max(r.start_time)')} as trace_max_start_time,
         coalesce(array_agg(r.run_id order by r.dotted_order collate "C")
           filter (where starts_with(r.dotted_order, u.dotted_order || '.')), '{}') as child_run_ids,
         coalesce(array_agg(r.run_id order by r.dotted_order collate "C")
           filter (where r.parent_run_id = u.run_id), '{}') as direct_child_run_ids
       from traces.runs r
       where r.trace_id = u.trace_id and r.workspace_id = u.workspace_id and r.tier = u.tier and r.week = u.week
     ) t`,
    [
      rows.map((row) => row.workspace_id),
      rows.map((row) => row.run_id),
      rows.map((row) => row.trace_id),
      rows.map((row) => row.tier),
      rows.map((row) => row.week),
      rows.map((row) => row.dotted_order),
    ],
  );
  return new Map(trees.map(({ run_id, ...tree }) => [run_id, tree]));
}

/** The datasets of projects that are experiments, by project. */
export async function readReferenceDatasets(
  db: Queryable,
  { workspace_id, session_ids }: SessionKeys,
): Promise<Map<string, string>> {
  if (session_ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; reference_dataset_id: string }>(
    `select id, reference_dataset_id from traces.sessions
     where workspace_id = $1 and id = any ($2::uuid[]) and reference_dataset_id is not null`,
    [workspace_id, session_ids],
  );
  return new Map(rows.map((row) => [row.id, row.reference_dataset_id]));
}

/** The runs of these that an example was made from. */
export async function findRunsInDatasets(
  db: Queryable,
  { workspace_id, run_ids }: RunKeys,
): Promise<Set<string>> {
  if (run_ids.length === 0) return new Set();
  const rows = await db.query<{ source_run_id: string }>(
    `select distinct e.source_run_id from traces.examples e join traces.datasets d
       on d.workspace_id = e.workspace_id and d.id = e.dataset_id and d.deleted_at is null
     where e.workspace_id = $1 and e.source_run_id = any ($2::uuid[]) and e.valid_to is null`,
    [workspace_id, run_ids],
  );
  return new Set(rows.map(({ source_run_id }) => source_run_id));
}

/** The projects that are experiments on a dataset. */
export async function listExperimentIds(
  db: Queryable,
  { workspace_id, dataset_id }: DatasetKey,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from traces.sessions
     where workspace_id = $1 and reference_dataset_id = $2 and deleted_at is null`,
    [workspace_id, dataset_id],
  );
  return rows.map((row) => row.id);
}
