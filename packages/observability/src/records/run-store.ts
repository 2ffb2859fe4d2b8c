import type { UnderLock, Transaction } from '@roadstead/postgres';
import { notingChanges } from './change-store.ts';
import type { PartitionKey } from '../partitions/week-rules.ts';
import type { KnownRun } from './placement-rules.ts';
import { keyOf } from './run-merge-rules.ts';
import { outlineColumnNames, own, type RunRow, type TracePlace } from './run-row.ts';
import type { RunKey } from '../values/keys.ts';

/** Hot rows of runs. */

/** SQL that writes an instant with microseconds, as the API answers it. */
export const instantText = (column: string) =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')`;

const columns = {
  workspace_id: 'uuid',
  run_id: 'uuid',
  tier: 'text',
  week: 'date',
  trace_id: 'uuid',
  parent_run_id: 'uuid',
  dotted_order: 'text',
  name: 'text',
  run_type: 'text',
  start_time: 'timestamptz',
  end_time: 'timestamptz',
  first_token_time: 'timestamptz',
  session_id: 'uuid',
  thread_id: 'text',
  reference_example_id: 'uuid',
  is_root: 'boolean',
  has_error: 'boolean',
  tags: 'text[]',
  inputs_preview: 'text',
  outputs_preview: 'text',
  error_preview: 'text',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  total_tokens: 'bigint',
  prompt_cost: 'numeric',
  completion_cost: 'numeric',
  total_cost: 'numeric',
  prompt_token_details: 'jsonb',
  completion_token_details: 'jsonb',
  prompt_cost_details: 'jsonb',
  completion_cost_details: 'jsonb',
  price_model_id: 'uuid',
  model: 'jsonb',
  within_call: 'boolean',
  patched: 'integer',
  own: 'smallint',
} as const satisfies Record<keyof RunRow, string>;

const names = Object.keys(columns) as (keyof RunRow)[];
const keys: ReadonlySet<string> = new Set(['workspace_id', 'run_id', 'tier', 'week']);

const selected = (some: readonly (keyof RunRow)[]) =>
  some
    .map((name) => (columns[name] === 'timestamptz' ? `${instantText(`r.${name}`)} as ${name}` : `r.${name}`))
    .join(', ');

/** The columns of `RunRow` from `r`. */
export const runColumns = selected(names);
/** Those of `RunOutline`. */
export const outlineColumns = selected(outlineColumnNames);

const upsert = `
  insert into traces.runs (${names.join(', ')}, received_at)
  select ${names.map((name) => `j.${name}`).join(', ')}, $2::timestamptz
  from json_to_recordset($1::text::json) as j(${Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})
  on conflict (run_id, workspace_id, tier, week) do update set
  ${names
    .filter((name) => !keys.has(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`;

/** Writes whole rows over the existing ones. */
export async function upsertRuns(
  tx: UnderLock<'traces'>,
  { rows, received_at }: { readonly rows: readonly RunRow[]; readonly received_at: string },
): Promise<void> {
  if (rows.length > 0) await tx.run(upsert, [JSON.stringify(rows), received_at]);
}

const cost_columns = [
  'prompt_cost',
  'completion_cost',
  'total_cost',
  'prompt_cost_details',
  'completion_cost_details',
  'price_model_id',
] as const satisfies readonly (keyof typeof columns)[];

/** Writes the costs of runs of one partition, and nothing else. */
export async function updateCosts(
  tx: Transaction,
  { partition, rows }: { readonly partition: PartitionKey; readonly rows: readonly RunRow[] },
): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(
    `update traces.runs r set ${cost_columns.map((name) => `${name} = j.${name}`).join(', ')}
     from json_to_recordset($1::text::json) as j(workspace_id uuid, run_id uuid,
       ${cost_columns.map((name) => `${name} ${columns[name]}`).join(', ')})
     where r.run_id = j.run_id and r.workspace_id = j.workspace_id and r.tier = $2 and r.week = $3`,
    [JSON.stringify(rows), partition.tier, partition.week],
  );
}

/** A stored row, and whether its project was deleted meanwhile, so that it counts as gone. */
export type StoredRun = RunRow & { readonly gone: boolean };

/** Reads the existing ones among these runs of one partition, by key. */
export async function readRunsIn(
  tx: Transaction,
  { partition, run_ids }: { readonly partition: PartitionKey; readonly run_ids: readonly string[] },
): Promise<Map<string, StoredRun>> {
  const rows = await tx.query<StoredRun>(
    `select ${runColumns}, s.id is null as gone
     from traces.runs r
     left join traces.sessions s on s.workspace_id = r.workspace_id and s.id = r.session_id and s.deleted_at is null
     where r.tier = $1 and r.week = $2 and r.run_id = any ($3::uuid[])`,
    [partition.tier, partition.week, run_ids],
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Finds runs in any partition, for drafts that don't name their trace. */
export async function findKnownRuns(
  tx: Transaction,
  runs: readonly RunKey[],
): Promise<Map<string, KnownRun>> {
  if (runs.length === 0) return new Map();
  const rows = await tx.query<KnownRun>(
    `select r.workspace_id, r.run_id, r.trace_id, r.dotted_order
     from traces.runs r
     join traces.sessions s on s.workspace_id = r.workspace_id and s.id = r.session_id and s.deleted_at is null
     where r.run_id = any ($1::uuid[]) and r.workspace_id = any ($2::uuid[])
     order by r.week`,
    [runs.map((run) => run.run_id), [...new Set(runs.map((run) => run.workspace_id))]],
  );
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Removes the rest of runs whose project was deleted, before they are written again. */
export async function removeRunsIn(
  tx: UnderLock<'traces'>,
  {
    partition,
    runs,
  }: {
    readonly partition: PartitionKey;
    readonly runs: readonly RunKey[];
  },
): Promise<void> {
  const values = [
    partition.tier,
    partition.week,
    runs.map((run) => run.run_id),
    runs.map((run) => run.workspace_id),
  ];
  for (const table of ['runs', 'payloads']) {
    await tx.run(
      `delete from traces.${table} where tier = $1 and week = $2
       and (run_id, workspace_id) in (select * from unnest($3::uuid[], $4::uuid[]))`,
      values,
    );
  }
}

/** Gives the runs of these traces the project and the conversation of their root, unless they named their own. */
export async function inheritFromRoots(
  tx: UnderLock<'traces'>,
  traces: readonly Pick<
    TracePlace,
    'workspace_id' | 'trace_id' | 'tier' | 'week' | 'session_id' | 'thread_id'
  >[],
): Promise<void> {
  for (const group of Map.groupBy(traces, ({ tier, week }) => `${tier}/${week}`).values()) {
    const [{ tier, week } = { tier: '', week: '' }] = group;
    await tx.run(
      `with given as (update traces.runs r set
         session_id = case when own & $7 = 0 then coalesce(u.session_id, r.session_id) else r.session_id end,
         thread_id = case when own & $8 = 0 then u.thread_id else r.thread_id end
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) as u(workspace_id, trace_id, session_id, thread_id)
       where r.workspace_id = u.workspace_id and r.trace_id = u.trace_id and tier = $5 and week = $6 and not is_root
         and ((own & $7 = 0 and r.session_id is distinct from coalesce(u.session_id, r.session_id))
           or (own & $8 = 0 and r.thread_id is distinct from u.thread_id))
         returning r.workspace_id, tier, week, run_id)
       ${notingChanges('given')}`,
      [
        group.map((trace) => trace.workspace_id),
        group.map((trace) => trace.trace_id),
        group.map((trace) => trace.session_id),
        group.map((trace) => trace.thread_id),
        tier,
        week,
        own.session,
        own.thread_id,
      ],
    );
  }
}
