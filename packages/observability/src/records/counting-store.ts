import type { UnderLock } from '@roadstead/postgres';
import { type CostName, type DetailName, modelNames, type TokenName } from './run-operation.ts';
import type { Gap } from './run-row.ts';
import { modelCallTypes, type PlacedRun } from './run-row.ts';
import type { TraceKey } from '../values/keys.ts';

/**
 * The amounts of a run that count in sums over runs, like in `countedUsage`, and the runs below a call that counts
 * for them.
 */

type Amount = TokenName | CostName | DetailName;

/** SQL: whether the run in `r` calls a model. */
export const isModelCall = (r: string) =>
  `${r}.run_type in (${modelCallTypes.map((type) => `'${type}'`).join(', ')})`;

/** SQL: the same as `calledModel`. */
export const calledModelSql = (r: string) =>
  `case when ${isModelCall(r)} then coalesce(${modelNames.map((name) => `${r}.model ->> '${name}'`).join(', ')}) end`;

/** SQL: the amount of the run in `r` that counts; only the whole cost where it calls no model. */
export const countedSql = (r: string, name: Amount) =>
  `case when not ${r}.within_call${name === 'total_cost' ? '' : ` and ${isModelCall(r)}`} then ${r}.${name} end`;

/** SQL: the same as `saysUsage`. */
const saysUsage = (r: string) => `(${r}.total_tokens > 0 or ${r}.total_cost > 0)`;
/** SQL: the same as `isOuterCall`. */
const isOuterCall = (r: string) => `${r}.run_type = 'llm' and ${saysUsage(r)}`;
const idsAbove = (r: string) =>
  `(select lower(right(segment, 36)) from unnest(trim_array(string_to_array(${r}.dotted_order, '.'), 1)) as segment)`;
const ofTrace =
  'r.trace_id = l.trace_id and r.workspace_id = l.workspace_id and r.tier = l.tier and r.week = l.week';

/** Lists the existing ones among these runs of one partition, and whether each counts for all below it. */
export async function listCallsAmong(
  tx: UnderLock<'traces'>,
  {
    tier,
    week,
    workspace_ids,
    run_ids,
  }: Pick<PlacedRun, 'tier' | 'week'> & {
    readonly workspace_ids: readonly string[];
    readonly run_ids: readonly string[];
  },
): Promise<{ readonly workspace_id: string; readonly run_id: string; readonly is_outer: boolean }[]> {
  if (run_ids.length === 0) return [];
  return tx.query(
    `select r.workspace_id, r.run_id, coalesce(${isOuterCall('r')}, false) as is_outer from traces.runs r
     where r.tier = $1 and r.week = $2 and r.run_id = any ($3::uuid[]) and r.workspace_id = any ($4::uuid[])`,
    [tier, week, run_ids, workspace_ids],
  );
}

/** The limit on gaps of one trace; what lies below further gaps is unknown until the trace is counted again. */
const MAX_GAPS = 1000;

/** Notes further gaps, and then forgets those of the same traces whose runs came. */
export async function noteGaps(tx: UnderLock<'traces'>, gaps: readonly Gap[]): Promise<void> {
  if (gaps.length === 0) return;
  await tx.run(
    `update traces.traces t set gaps = array(
       select distinct missing.id from unnest(coalesce(t.gaps, '{}') || g.ids) as missing (id)
       where not exists (
         select from traces.runs r where r.run_id = missing.id and r.trace_id = t.trace_id
           and r.workspace_id = t.workspace_id and r.tier = t.tier and r.week = t.week)
       limit ${MAX_GAPS})
     from (
       select workspace_id, trace_id, array_agg(missing_id) as ids
       from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as u(workspace_id, trace_id, missing_id)
       group by workspace_id, trace_id
     ) g where t.workspace_id = g.workspace_id and t.trace_id = g.trace_id
       and not g.ids <@ coalesce(t.gaps, '{}')`,
    [gaps.map((gap) => gap.workspace_id), gaps.map((gap) => gap.trace_id), gaps.map((gap) => gap.missing_id)],
  );
}

/** Lists the traces of these runs of one partition in which something below one of them counts, or counted before. */
export async function listTracesCountingBelow(
  tx: UnderLock<'traces'>,
  { tier, week, runs }: Pick<PlacedRun, 'tier' | 'week'> & { readonly runs: readonly PlacedRun[] },
): Promise<TraceKey[]> {
  const counts = (r: string) => `coalesce(${r}.within_call or ${saysUsage(r)}, false) as counts`;
  return tx.query<TraceKey>(
    `with recursive above as (
       select * from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as u(workspace_id, trace_id, run_id)
     ), below_gaps as materialized (
       select r.workspace_id, r.trace_id, r.run_id, r.dotted_order, ${counts('r')}
       from (select distinct workspace_id, trace_id from above) u
       join traces.traces t on t.trace_id = u.trace_id and t.workspace_id = u.workspace_id
       cross join unnest(t.gaps) as missing (id)
       join traces.runs r on r.trace_id = t.trace_id and r.parent_run_id = missing.id
         and r.workspace_id = t.workspace_id and r.tier = $1 and r.week = $2
     ), below as (
       (select r.workspace_id, r.trace_id, r.run_id, ${counts('r')} from above u
        join traces.runs r on r.trace_id = u.trace_id and r.parent_run_id = u.run_id
          and r.workspace_id = u.workspace_id and r.tier = $1 and r.week = $2
        union all
        select g.workspace_id, g.trace_id, g.run_id, g.counts
        from below_gaps g cross join lateral ${idsAbove('g')} as higher (id)
        join above u on u.run_id::text = higher.id and u.trace_id = g.trace_id and u.workspace_id = g.workspace_id)
       union
       select r.workspace_id, r.trace_id, r.run_id, ${counts('r')} from below b
       join traces.runs r on r.trace_id = b.trace_id and r.parent_run_id = b.run_id
         and r.workspace_id = b.workspace_id and r.tier = $1 and r.week = $2
       where not b.counts
     )
     select distinct workspace_id, trace_id from below where counts`,
    [
      tier,
      week,
      runs.map((run) => run.workspace_id),
      runs.map((run) => run.trace_id),
      runs.map((run) => run.run_id),
    ],
  );
}

/** Marks the runs of these traces that are below a call that counts for them. */
export async function markWithinCalls(tx: UnderLock<'traces'>, traces: readonly TraceKey[]): Promise<void> {
  await tx.run(
    `with kept as materialized (
       select r.workspace_id, r.run_id, r.tier, r.week, r.trace_id, r.dotted_order, r.within_call,
         coalesce(${isOuterCall('r')}, false) as is_outer
       from traces.traces l join traces.runs r on ${ofTrace}
       where (l.trace_id, l.workspace_id) in (select * from unnest($1::uuid[], $2::uuid[]))
         and (r.within_call or ${saysUsage('r')})
     ), inside as (
       select distinct k.workspace_id, k.run_id from kept k cross join lateral ${idsAbove('k')} as above (id)
       join kept c on c.is_outer and c.run_id::text = above.id
         and c.trace_id = k.trace_id and c.workspace_id = k.workspace_id
     )
     update traces.runs r set within_call = not r.within_call
     from kept k left join inside i using (workspace_id, run_id)
     where r.run_id = k.run_id and r.workspace_id = k.workspace_id and r.tier = k.tier and r.week = k.week
       and r.within_call <> (i.run_id is not null)`,
    [traces.map((trace) => trace.trace_id), traces.map((trace) => trace.workspace_id)],
  );
}
