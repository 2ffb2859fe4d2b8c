import { isUuid } from '@roadstead/kit';
import type { UnderLock } from '@roadstead/postgres';
import { listCallsAmong, listTracesCountingBelow, noteGaps } from '../records/counting-store.ts';
import { gapsAbove, isBelow, type NestableRun } from './nested-calls-rules.ts';
import { ancestorsOf } from '../records/placement-rules.ts';
import { keyOf } from '../records/run-merge-rules.ts';
import { recountTraces } from '../records/run-removal-store.ts';

/**
 * Below a call that reports its usage nothing counts again, whichever arrived first. Once runs are written or moved,
 * traces in which one is below another are therefore counted again. Only runs above and below the written ones are
 * examined, since a trace may have thousands of calls beside them.
 */
export async function recountNested(tx: UnderLock<'traces'>, runs: readonly NestableRun[]): Promise<void> {
  for (const group of Map.groupBy(runs, ({ tier, week }) => `${tier}/${week}`).values()) {
    const [{ tier, week } = { tier: '', week: '' }] = group;
    const ids = new Set(group.flatMap(({ run_id, dotted_order }) => [run_id, ...ancestorsOf(dotted_order)]));
    const workspace_ids = [...new Set(group.map(({ workspace_id }) => workspace_id))];
    const there = await listCallsAmong(tx, { tier, week, run_ids: [...ids].filter(isUuid), workspace_ids });
    const known = new Set(there.map(keyOf));
    await noteGaps(
      tx,
      gapsAbove(group, (run) => known.has(keyOf(run))),
    );
    const calls = new Set(there.flatMap((one) => (one.is_outer ? [keyOf(one)] : [])));
    const isNested = (run: NestableRun) => run.within_call || (run.counts && isBelow(run, calls));
    const isAbove = (run: NestableRun) => run.was_outer || calls.has(keyOf(run)) || isBelow(run, calls);
    const above = group.filter((run) => !run.is_alone && !isNested(run) && isAbove(run));
    const below = above.length === 0 ? [] : await listTracesCountingBelow(tx, { tier, week, runs: above });
    const nested = [...group.filter(isNested), ...below];
    const traces = new Map(nested.map((one) => [`${one.workspace_id}/${one.trace_id}`, one]));
    await recountTraces(tx, [...traces.values()]);
  }
}
