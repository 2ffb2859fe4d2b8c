import { isUuid } from '@roadstead/kit';
import { ancestorsOf } from '../records/placement-rules.ts';
import { keyOf } from '../records/run-merge-rules.ts';
import {
  type Gap,
  isOuterCall,
  type PlacedRun,
  type RunRow,
  saysUsage,
  traceKeyOf,
  type TracePlace,
} from '../records/run-row.ts';

/** A written or moved run, with the facts that decide what counts below calls. */
export interface NestableRun extends PlacedRun {
  readonly within_call: boolean;
  /** Whether it has a counted amount, or had one. */
  readonly counts: boolean;
  /** Whether it was a call that counts for all below it, and no longer is. */
  readonly was_outer: boolean;
  /** Whether nothing else in its trace counts: only missing runs above it are looked for. */
  readonly is_alone: boolean;
}

/**
 * The written runs of traces in which one call may be below another: usually no trace is such, and nothing is looked
 * up. A run without amounts may connect two that have some.
 */
export function nestableRuns(
  rows: readonly RunRow[],
  {
    stored,
    places,
  }: { readonly stored: ReadonlyMap<string, RunRow>; readonly places: ReadonlyMap<string, TracePlace> },
): NestableRun[] {
  const groups = Map.groupBy(rows, traceKeyOf);
  return [...groups].flatMap(([key, some]) => {
    const is_alone = places.get(key)?.counts !== true && !isAnyNested(some);
    return some.flatMap((row): NestableRun[] => {
      const before = stored.get(keyOf(row));
      const counts = saysUsage(row) || saysUsage(before);
      if (!counts && (is_alone || before !== undefined)) return [];
      const was_outer = before !== undefined && isOuterCall(before) && !isOuterCall(row);
      return [{ ...row, counts, was_outer, is_alone }];
    });
  });
}

/** Where nothing else in their trace counts, the runs are examined alone. */
function isAnyNested(rows: readonly RunRow[]): boolean {
  const calls = new Set(rows.filter(isOuterCall).map(keyOf));
  return calls.size > 0 && rows.some((row) => saysUsage(row) && isBelow(row, calls));
}

/** The missing runs above these, which use something. */
export const gapsAbove = (
  runs: readonly NestableRun[],
  isThere: (run: Pick<PlacedRun, 'workspace_id' | 'run_id'>) => boolean,
): Gap[] => {
  const gaps = runs.flatMap(({ workspace_id, trace_id, counts, dotted_order }) =>
    (counts ? ancestorsOf(dotted_order) : []).flatMap((id) => {
      const missing_id = id.toLowerCase();
      return isUuid(id) && !isThere({ workspace_id, run_id: missing_id })
        ? [{ workspace_id, trace_id, missing_id }]
        : [];
    }),
  );
  return [...new Map(gaps.map((gap) => [`${traceKeyOf(gap)}/${gap.missing_id}`, gap])).values()];
};

/** Whether it is below one of the calls, by their keys. */
export const isBelow = ({ workspace_id, dotted_order }: PlacedRun, calls: ReadonlySet<string>): boolean =>
  ancestorsOf(dotted_order).some((id) => calls.has(keyOf({ workspace_id, run_id: id.toLowerCase() })));
