import { ancestorsOf } from './placement-rules.ts';
import { keyOf } from './run-merge-rules.ts';
import { isOuterCall, type RunRow, saysUsage, traceKeyOf, type TracePlace } from './run-row.ts';

/** Written runs of traces in which one call may stand below another: mostly there are none, and nothing is looked up. */
export function nestableRuns(
  rows: readonly RunRow[],
  {
    stored,
    places,
  }: { readonly stored: ReadonlyMap<string, RunRow>; readonly places: ReadonlyMap<string, TracePlace> },
): RunRow[] {
  const counting = rows.filter((row) => saysUsage(row) || saysUsage(stored.get(keyOf(row))));
  return [...Map.groupBy(counting, traceKeyOf)].flatMap(([key, some]) =>
    places.get(key)?.counts === true || isAnyNested(some) ? some : [],
  );
}

/** Where nothing else of their trace counts, they are looked at alone. */
function isAnyNested(rows: readonly RunRow[]): boolean {
  const calls = new Set(rows.filter(isOuterCall).map(({ run_id }) => run_id));
  return rows.some(({ dotted_order }) => ancestorsOf(dotted_order).some((id) => calls.has(id.toLowerCase())));
}
