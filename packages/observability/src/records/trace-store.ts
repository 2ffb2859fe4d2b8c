import { type UnderLock, nowLocked, type Queryable, type Transaction } from '@roadstead/postgres';
import { costNames, detailNames, tokenNames } from './run-operation.ts';
import { type AbsorbedTrace, uncountTraces } from '../usage/usage-store.ts';
import { instantText } from './run-store.ts';
import {
  type TraceChange,
  type TraceFacts,
  traceKeyOf,
  type TraceMerge,
  type TracePlace,
} from './run-row.ts';
import type { TraceKey, TraceKeys } from '../values/keys.ts';

/** The small table of the place of each trace, and the totals of its runs. */

/** Another process wrote the same new trace at the same moment; the whole flush is to be repeated. */
export class TraceRaceError extends Error {
  override readonly name = 'TraceRaceError';
}

const placeColumns = `workspace_id, trace_id, tier, week, session_id, thread_id, run_count, deletion_id, false as is_new,
    total_tokens > 0 or total_cost is not null as counts`;

/** SQL: whether the run in `r` is of a trace that is being deleted. Usually no trace is, and the index is empty. */
export const isDeleted = `exists (select from traces.traces d
  where d.deletion_id is not null and d.trace_id = r.trace_id and d.workspace_id = r.workspace_id)`;

/**
 * Locks the existing traces until the transaction ends, and returns them by key: all runs of a trace are written
 * under the lock of its row, always in the same order.
 */
export async function lockTraces(
  tx: Transaction,
  traces: readonly TraceKey[],
): Promise<{ readonly places: Map<string, TracePlace>; readonly locked: UnderLock<'traces'> }> {
  const locked = nowLocked<'traces'>(tx);
  if (traces.length === 0) return { places: new Map(), locked };
  const rows = await tx.query<TracePlace>(
    `select ${placeColumns} from traces.traces
     where (trace_id, workspace_id) in (select * from unnest($1::uuid[], $2::uuid[]))
     order by trace_id, workspace_id for update`,
    [traces.map((trace) => trace.trace_id), traces.map((trace) => trace.workspace_id)],
  );
  return { places: new Map(rows.map((row) => [traceKeyOf(row), row])), locked };
}

const recordset = `json_to_recordset($1::text::json) as j(workspace_id uuid, trace_id uuid, tier text, week date,
  session_id uuid, thread_id text, new_runs integer, first_token_time timestamptz, prompt_tokens bigint, completion_tokens bigint,
  total_tokens bigint, prompt_cost numeric, completion_cost numeric, total_cost numeric, prompt_token_details jsonb,
  completion_token_details jsonb, prompt_cost_details jsonb, completion_cost_details jsonb)`;
const totals = [...tokenNames, ...costNames, ...detailNames];

/** @throws TraceRaceError when one of them exists by now. */
export async function insertTraces(
  tx: Transaction,
  { traces, received_at }: { readonly traces: readonly TraceChange[]; readonly received_at: string },
): Promise<void> {
  if (traces.length === 0) return;
  const inserted = await tx.run(
    `insert into traces.traces
       (workspace_id, trace_id, tier, week, session_id, thread_id, run_count, first_token_time, ${totals.join(', ')}, received_at)
     select workspace_id, trace_id, tier, week, session_id, thread_id, new_runs, first_token_time, ${totals.join(', ')}, $2
     from ${recordset} on conflict do nothing`,
    // The order is the same everywhere, so that two flushes can't wait for each other.
    [JSON.stringify(traces.toSorted((a, b) => (a.trace_id < b.trace_id ? -1 : 1))), received_at],
  );
  if (inserted !== traces.length) throw new TraceRaceError('A trace was begun elsewhere at the same moment.');
}

export async function updateTraces(tx: UnderLock<'traces'>, traces: readonly TraceChange[]): Promise<void> {
  if (traces.length === 0) return;
  await tx.run(
    `update traces.traces t set session_id = j.session_id, thread_id = j.thread_id,
       run_count = t.run_count + j.new_runs, first_token_time = least(t.first_token_time, j.first_token_time),
       ${tokenNames.map((name) => `${name} = t.${name} + j.${name}`).join(', ')},
       ${costNames.map((name) => `${name} = ${addedCost(`t.${name}`, `j.${name}`)}`).join(', ')},
       ${detailNames.map((name) => `${name} = traces.added(t.${name}, j.${name})`).join(', ')}
     from ${recordset} where t.trace_id = j.trace_id and t.workspace_id = j.workspace_id`,
    [JSON.stringify(traces)],
  );
}

/** SQL: a sum of costs, which is unknown where both are. */
const addedCost = (a: string, b: string) => `coalesce(${a} + ${b}, ${a}, ${b})`;

/** Adds the totals of each `from` to its `to`, and removes `from`. No trace is both. */
export async function mergeTraces(tx: UnderLock<'traces'>, merges: readonly TraceMerge[]): Promise<void> {
  if (merges.length === 0) return;
  const gone = await tx.query<AbsorbedTrace>(
    `with gone as (
       delete from traces.traces t using unnest($1::uuid[], $2::uuid[], $3::uuid[]) as m(workspace_id, gone_id, to_id)
       where t.workspace_id = m.workspace_id and t.trace_id = m.gone_id returning t.*, m.to_id
     ), added as (
       select workspace_id, to_id, sum(run_count) as run_count, min(first_token_time) as first_token_time,
         ${[...tokenNames, ...costNames].map((name) => `sum(${name}) as ${name}`).join(', ')},
         ${detailNames.map((name) => `traces.added_up(${name}) as ${name}`).join(', ')}
       from gone group by workspace_id, to_id
     ), merged as (
       update traces.traces t set run_count = t.run_count + added.run_count,
         first_token_time = least(t.first_token_time, added.first_token_time),
         ${tokenNames.map((name) => `${name} = t.${name} + added.${name}`).join(', ')},
         ${costNames.map((name) => `${name} = ${addedCost(`t.${name}`, `added.${name}`)}`).join(', ')},
         ${detailNames.map((name) => `${name} = traces.added(t.${name}, added.${name})`).join(', ')}
       from added where t.workspace_id = added.workspace_id and t.trace_id = added.to_id
     )
     select workspace_id, session_id, ${instantText('received_at')} as received_at, tier from gone`,
    [merges.map((one) => one.workspace_id), merges.map((one) => one.from), merges.map((one) => one.to)],
  );
  await uncountTraces(tx, gone);
}

/** The time at which each trace began to arrive, and its totals, by trace id. */
export async function readTraceFacts(
  db: Queryable,
  { workspace_id, trace_ids }: TraceKeys,
): Promise<Map<string, TraceFacts>> {
  if (trace_ids.length === 0) return new Map();
  const rows = await db.query<TraceFacts & { trace_id: string }>(
    `select trace_id, ${instantText('received_at')} as received_at,
       ${instantText('first_token_time')} as first_token_time, ${totals.join(', ')}
     from traces.traces where workspace_id = $1 and trace_id = any ($2::uuid[])`,
    [workspace_id, trace_ids],
  );
  return new Map(rows.map((row) => [row.trace_id, row]));
}

export async function findTrace(
  db: Queryable,
  { workspace_id, trace_id }: TraceKey,
): Promise<TracePlace | undefined> {
  return db.maybe<TracePlace>(
    `select ${placeColumns} from traces.traces where workspace_id = $1 and trace_id = $2`,
    [workspace_id, trace_id],
  );
}
