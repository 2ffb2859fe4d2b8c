import { type Locked, nowLocked, type Queryable, type Transaction } from '@roadstead/kit';
import { type Uncounted, uncountTrace } from '../usage/usage-store.ts';
import { instantText } from './run-store.ts';
import { type TraceChange, type TraceFacts, traceKeyOf, type TracePlace } from './run-row.ts';

/** The small table that says where each trace lives, and what all of its runs add up to. */

/** Another process wrote the same new trace at the same moment; the whole flush is to be done again. */
export class TraceRaceError extends Error {
  override readonly name = 'TraceRaceError';
}

const placeColumns =
  'workspace_id, trace_id, tier, week, session_id, thread_id, run_count, deletion_id, false as is_new';

/** SQL: whether the run in `r` is of a trace that is being deleted. Mostly there is none, and its index is empty. */
export const isDeleted = `exists (select from traces.traces d
  where d.deletion_id is not null and d.trace_id = r.trace_id and d.workspace_id = r.workspace_id)`;

/**
 * The traces that are there, by key, locked until the transaction ends: all runs of a trace are written under the lock
 * of its row, always in the same order.
 */
export async function lockTraces(
  tx: Transaction,
  traces: readonly { readonly workspace_id: string; readonly trace_id: string }[],
): Promise<{ readonly places: Map<string, TracePlace>; readonly locked: Locked<'traces'> }> {
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
const sums = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const;
const costs = ['prompt_cost', 'completion_cost', 'total_cost'] as const;
const details = [
  'prompt_token_details',
  'completion_token_details',
  'prompt_cost_details',
  'completion_cost_details',
] as const;
const totals = [...sums, ...costs, ...details];

/** @throws TraceRaceError when one of them is there by now. */
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
    // In one order everywhere, so that two flushes can't wait for each other.
    [JSON.stringify(traces.toSorted((a, b) => (a.trace_id < b.trace_id ? -1 : 1))), received_at],
  );
  if (inserted !== traces.length) throw new TraceRaceError('A trace was begun elsewhere at the same moment.');
}

export async function updateTraces(tx: Locked<'traces'>, traces: readonly TraceChange[]): Promise<void> {
  if (traces.length === 0) return;
  await tx.run(
    `update traces.traces t set session_id = j.session_id, thread_id = j.thread_id,
       run_count = t.run_count + j.new_runs, first_token_time = least(t.first_token_time, j.first_token_time),
       ${sums.map((name) => `${name} = t.${name} + j.${name}`).join(', ')},
       ${costs.map((name) => `${name} = ${addedCost(`t.${name}`, `j.${name}`)}`).join(', ')},
       ${details.map((name) => `${name} = traces.added(t.${name}, j.${name})`).join(', ')}
     from ${recordset} where t.trace_id = j.trace_id and t.workspace_id = j.workspace_id`,
    [JSON.stringify(traces)],
  );
}

/** Unknown and unknown stays unknown. */
const addedCost = (a: string, b: string) => `coalesce(${a} + ${b}, ${a}, ${b})`;

/** Adds what `from` adds up to to `to`, and forgets `from`. */
export async function mergeTraces(
  tx: Locked<'traces'>,
  workspace_id: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const gone = await tx.maybe<Uncounted>(
    `with gone as (delete from traces.traces where workspace_id = $1 and trace_id = $2 returning *)
     update traces.traces t set run_count = t.run_count + gone.run_count,
       first_token_time = least(t.first_token_time, gone.first_token_time),
       ${sums.map((name) => `${name} = t.${name} + gone.${name}`).join(', ')},
       ${costs.map((name) => `${name} = ${addedCost(`t.${name}`, `gone.${name}`)}`).join(', ')},
       ${details.map((name) => `${name} = traces.added(t.${name}, gone.${name})`).join(', ')}
     from gone where t.workspace_id = $1 and t.trace_id = $3
     returning gone.workspace_id, gone.session_id, ${instantText('gone.received_at')} as received_at, gone.tier`,
    [workspace_id, from, to],
  );
  if (gone !== undefined) await uncountTrace(tx, gone);
}

/** When each trace began to arrive, and what its runs add up to, by trace id. */
export async function readTraceFacts(
  db: Queryable,
  { workspace_id, trace_ids }: { readonly workspace_id: string; readonly trace_ids: readonly string[] },
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
  { workspace_id, trace_id }: { readonly workspace_id: string; readonly trace_id: string },
): Promise<TracePlace | undefined> {
  return db.maybe<TracePlace>(
    `select ${placeColumns} from traces.traces where workspace_id = $1 and trace_id = $2`,
    [workspace_id, trace_id],
  );
}
