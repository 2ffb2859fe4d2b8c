import { isBubbleUp } from '../decoding/bubble-up-rules.ts';
import type { RunFields, Usage } from '../records/run-operation.ts';
import { type PriceOf, usageColumns, withoutCosts } from '../prices/price-rules.ts';
import { orderBelow, sentParent, segmentOf } from '../records/placement-rules.ts';
import { mergeRanked, nothingSaid, type RankedFields, type RunDraft } from '../records/run-merge-rules.ts';
import { own, type RunRow, type TracePlace, usageIn } from '../records/run-row.ts';

/** Makes the row of a run from its stored row and its draft. */

/** The fields that a stored row's own run sent, so that more can be merged into them. */
function rankedOfRow(row: RunRow): RankedFields {
  const said = (bit: number) => (row.own & bit) !== 0;
  const fields = {
    trace_id: said(own.trace_id) ? row.trace_id : null,
    dotted_order: said(own.dotted_order) ? row.dotted_order : null,
    parent_run_id: row.parent_run_id,
    name: row.name,
    run_type: row.run_type,
    start_time: said(own.start_time) ? row.start_time : null,
    end_time: row.end_time,
    first_token_time: row.first_token_time,
    session: said(own.session) ? { id: row.session_id } : null,
    thread_id: said(own.thread_id) ? row.thread_id : null,
    reference_example_id: row.reference_example_id,
    tags: row.tags,
    inputs_preview: row.inputs_preview,
    outputs_preview: row.outputs_preview,
    error_preview: row.error_preview,
    usage: sentUsage(row),
    model: row.model,
  };
  return {
    fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
    patched: row.patched,
    faint: 0,
  };
}

/** The usage that the client sent, without computed costs. */
function sentUsage(row: RunRow): Usage | null {
  if (row.total_tokens === null) return null;
  return row.price_model_id === null ? usageIn(row) : withoutCosts(usageIn(row));
}

export function mergedOf(draft: RunDraft, stored: RunRow | undefined): RankedFields {
  return mergeRanked(stored === undefined ? nothingSaid : rankedOfRow(stored), draft);
}

/** Whether a run of these fields is the root of that trace. */
export function isRoot(
  fields: RunFields,
  { run_id, trace_id }: Pick<RunRow, 'run_id' | 'trace_id'>,
): boolean {
  return run_id === trace_id && sentParent(fields) === undefined;
}

export interface RowMaking {
  readonly draft: RunDraft;
  readonly merged: RankedFields;
  readonly stored: RunRow | undefined;
  readonly place: TracePlace;
  /** Whether the run is a stray until it can be placed; its order then stays as it is. */
  readonly stray: boolean;
  readonly parent_order: string | undefined;
  readonly default_session_id: string;
  readonly priceOf: PriceOf;
  /** ISO text; the start of a run that names none. */
  readonly now: string;
}

export function rowOf(making: RowMaking): RunRow {
  const { draft, merged, stored, place, stray } = making;
  const { fields } = merged;
  const trace_id = stray ? place.trace_id : (fields.trace_id ?? place.trace_id);
  // A run that was promoted because its parent did not arrive stays a root until the parent comes.
  const isOrphan = stray && stored?.is_root === true && stored.parent_run_id !== null;
  const is_root = isOrphan || isRoot(fields, { run_id: draft.run_id, trace_id });
  const start_time = fields.start_time ?? stored?.start_time ?? making.now;
  const inherited_session = is_root ? undefined : (place.session_id ?? undefined);
  return {
    workspace_id: draft.workspace_id,
    run_id: draft.run_id,
    tier: place.tier,
    week: place.week,
    trace_id,
    parent_run_id: sentParent(fields) ?? null,
    dotted_order: orderOf(making, start_time),
    name: fields.name ?? null,
    run_type: fields.run_type ?? null,
    start_time,
    end_time: fields.end_time ?? null,
    first_token_time: fields.first_token_time ?? null,
    session_id: fields.session?.id ?? inherited_session ?? making.default_session_id,
    thread_id: fields.thread_id ?? (is_root ? null : place.thread_id),
    reference_example_id: fields.reference_example_id ?? null,
    is_root,
    has_error: fields.error_preview !== undefined && !isBubbleUp(fields.error_preview),
    tags: fields.tags ?? null,
    inputs_preview: fields.inputs_preview ?? null,
    outputs_preview: fields.outputs_preview ?? null,
    error_preview: fields.error_preview ?? null,
    ...usageColumns(fields, priceFor(making, start_time)),
    within_call: stored?.within_call ?? false,
    patched: merged.patched,
    own: ownBits(fields),
  };
}

function priceFor({ draft, merged, priceOf }: RowMaking, start_time: string): ReturnType<PriceOf> {
  const { model } = merged.fields;
  return model && priceOf({ workspace_id: draft.workspace_id, model, start_time });
}

function orderOf({ draft, merged, stored, stray, parent_order }: RowMaking, start_time: string): string {
  if (stray && stored !== undefined) return stored.dotted_order;
  if (merged.fields.dotted_order !== undefined) return merged.fields.dotted_order;
  const above = parent_order ?? stored?.dotted_order.split('.').slice(0, -1).join('.');
  return orderBelow(above, segmentOf(start_time, draft.run_id));
}

function ownBits(fields: RunFields): number {
  return (
    (fields.trace_id === undefined ? 0 : own.trace_id) |
    (fields.dotted_order === undefined ? 0 : own.dotted_order) |
    (fields.session === undefined ? 0 : own.session) |
    (fields.thread_id === undefined ? 0 : own.thread_id) |
    (fields.start_time === undefined ? 0 : own.start_time)
  );
}
