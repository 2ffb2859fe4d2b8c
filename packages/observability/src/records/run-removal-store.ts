import type { UnderLock, Transaction } from '@roadstead/postgres';
import { notingChanges, type RunPlace } from './change-store.ts';
import { costNames, detailNames, tokenNames } from './run-operation.ts';
import { countedSql, markWithinCalls } from './counting-store.ts';
import { lockTraces } from './trace-store.ts';
import type { TraceKey } from '../values/keys.ts';

/** Removes runs with all that belongs to them, and keeps the sums of their traces and projects right. */

export interface DoomedRun extends RunPlace {
  readonly trace_id: string;
}

export interface RemovedCounts {
  readonly runs: number;
  readonly payloads: number;
  readonly attachments: number;
  readonly feedback: number;
}

/** @param from removes only what is still in this project. */
export async function removeRuns(
  tx: Transaction,
  runs: readonly DoomedRun[],
  { from }: { readonly from?: string } = {},
): Promise<RemovedCounts> {
  if (runs.length === 0) return { runs: 0, payloads: 0, attachments: 0, feedback: 0 };
  const traces = [...new Map(runs.map((run) => [run.trace_id, run])).values()];
  const { locked } = await lockTraces(tx, traces);
  const removed = await tx.one<RemovedCounts>(
    `with doomed as (
       select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::date[]) as u(run_id, workspace_id, tier, week)
     ), gone as (
       delete from traces.runs r using doomed d where r.run_id = d.run_id and r.workspace_id = d.workspace_id
         and r.tier = d.tier and r.week = d.week and r.session_id = coalesce($5::uuid, r.session_id)
       returning r.run_id, r.workspace_id, r.tier, r.week
     ), noted as (
       ${notingChanges('gone')}
     ), payloads as (
       delete from traces.payloads p using gone g where p.run_id = g.run_id and p.workspace_id = g.workspace_id
         and p.tier = g.tier and p.week = g.week returning 1
     ), attachments as (
       delete from traces.attachments a using gone g where a.run_id = g.run_id and a.workspace_id = g.workspace_id
       returning a.digest
     ), released as (
       insert into traces.released_blobs select digest from attachments where digest is not null
     ), feedback as (
       delete from traces.feedback f using gone g where f.run_id = g.run_id and f.workspace_id = g.workspace_id returning 1
     ), queue_items as (
       delete from traces.annotation_queue_items q using gone g
       where q.run_id = g.run_id and q.workspace_id = g.workspace_id
     ), strays as (
       delete from traces.strays y using gone g where y.run_id = g.run_id and y.workspace_id = g.workspace_id
     )
     select (select count(*) from gone) as runs, (select count(*) from payloads) as payloads,
       (select count(*) from attachments) as attachments, (select count(*) from feedback) as feedback`,
    [
      runs.map((run) => run.run_id),
      runs.map((run) => run.workspace_id),
      runs.map((run) => run.tier),
      runs.map((run) => run.week),
      from ?? null,
    ],
  );
  await recountTraces(locked, traces);
  await removeEmptyTraces(locked, traces);
  return removed;
}

/** Recomputes the totals of traces from their present runs. */
export async function recountTraces(tx: UnderLock<'traces'>, traces: readonly TraceKey[]): Promise<void> {
  if (traces.length === 0) return;
  await markWithinCalls(tx, traces);
  const ofTrace =
    'r.trace_id = l.trace_id and r.workspace_id = l.workspace_id and r.tier = l.tier and r.week = l.week';
  await tx.run(
    `update traces.traces t set run_count = s.run_count, first_token_time = s.first_token_time,
       session_id = case when s.has_root then t.session_id end, thread_id = case when s.has_root then t.thread_id end,
       ${[...tokenNames, ...costNames, ...detailNames].map((name) => `${name} = s.${name}`).join(', ')}
     from traces.traces l cross join lateral (
       select count(*) as run_count, min(r.first_token_time) as first_token_time,
         coalesce(bool_or(r.is_root), false) as has_root,
         ${tokenNames.map((name) => `coalesce(sum(${countedSql('r', name)}), 0) as ${name}`).join(', ')},
         ${costNames.map((name) => `sum(${countedSql('r', name)}) as ${name}`).join(', ')},
         ${detailNames
           .map(
             (name) => `(select jsonb_object_agg(key, amount) from (
               select key, sum(value::numeric) as amount from traces.runs r, jsonb_each_text(${countedSql('r', name)})
               where ${ofTrace} group by key) one) as ${name}`,
           )
           .join(', ')}
       from traces.runs r where ${ofTrace}
     ) s
     where t.trace_id = l.trace_id and t.workspace_id = l.workspace_id
       and (l.trace_id, l.workspace_id) in (select * from unnest($1::uuid[], $2::uuid[]))`,
    idsOf(traces),
  );
}

async function removeEmptyTraces(tx: UnderLock<'traces'>, traces: readonly TraceKey[]): Promise<void> {
  await tx.run(
    `with gone as (
       delete from traces.traces where run_count = 0
         and (trace_id, workspace_id) in (select * from unnest($1::uuid[], $2::uuid[]))
       returning trace_id, workspace_id
     )
     delete from traces.shares s using gone g
     where s.kind = 'run' and s.subject_id = g.trace_id and s.workspace_id = g.workspace_id`,
    idsOf(traces),
  );
}

const idsOf = (traces: readonly TraceKey[]) => [
  traces.map((trace) => trace.trace_id),
  traces.map((trace) => trace.workspace_id),
];
