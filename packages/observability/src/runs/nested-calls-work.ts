import { isUuid, type Locked } from '@roadstead/kit';
import { listNestedTraces, listOuterCalls } from './counting-store.ts';
import { ancestorsOf } from './placement-rules.ts';
import { recountTraces } from './run-removal-store.ts';
import type { PlacedRun } from './run-row.ts';

/**
 * Below a call that says its usage nothing counts again. Whichever came first, the call or what is below it: once runs are
 * written or moved, traces in which one stands below another are counted anew.
 */
export async function recountNested(tx: Locked<'traces'>, runs: readonly PlacedRun[]): Promise<void> {
  const call_ids: string[] = [];
  for (const group of Map.groupBy(runs, ({ tier, week }) => `${tier}/${week}`).values()) {
    const [{ tier, week } = { tier: '', week: '' }] = group;
    const ids = new Set(group.flatMap(({ run_id, dotted_order }) => [run_id, ...ancestorsOf(dotted_order)]));
    call_ids.push(...(await listOuterCalls(tx, { tier, week, run_ids: [...ids].filter(isUuid) })));
  }
  const traces = [...new Map(runs.map((run) => [`${run.workspace_id}/${run.trace_id}`, run])).values()];
  if (traces.length > 0) await recountTraces(tx, await listNestedTraces(tx, { traces, call_ids }));
}
