import { addDecimals, negated } from '../values/decimal-rules.ts';
import { addedDetails, detailsChange } from '../records/amount-rules.ts';
import {
  type DetailName,
  detailNames,
  type Details,
  MAX_RUNS_PER_TRACE,
  type Usage,
} from '../records/run-operation.ts';
import type { PriceOf } from '../prices/price-rules.ts';
import { type KnownRun, type Placement, sentParent } from '../records/placement-rules.ts';
import { keyOf, type RankedFields, type RankedPayloads, type RunDraft } from '../records/run-merge-rules.ts';
import { isRoot, mergedOf, rowOf } from './run-row-rules.ts';
import {
  countedUsage,
  type RunRow,
  type TraceChange,
  traceKeyOf,
  type TracePlace,
} from '../records/run-row.ts';

/** Plans everything that a flush writes, from the stored rows and the content of the flush. */

export interface FlushFacts {
  readonly drafts: ReadonlyMap<string, RunDraft>;
  /** Placements by the draft's key. */
  readonly placements: ReadonlyMap<string, Placement>;
  /** Places by the trace's key; new traces are included, with `is_new`. */
  readonly places: ReadonlyMap<string, TracePlace>;
  /** Rows of drafts that are stored already, by key. */
  readonly stored: ReadonlyMap<string, RunRow>;
  /** Stored parents, by key, as far as drafts lack an order of their own. */
  readonly known: ReadonlyMap<string, KnownRun>;
  readonly defaultSession: (workspace_id: string) => string;
  readonly priceOf: PriceOf;
  /** ISO text. */
  readonly now: string;
  /** For tests; `MAX_RUNS_PER_TRACE` by default. */
  readonly max_runs?: number;
}

export interface RefusedRun {
  readonly run_id: string;
  readonly trace_id: string;
}

export interface FlushPlan {
  readonly rows: readonly RunRow[];
  readonly payloads: readonly (Pick<RunRow, 'workspace_id' | 'run_id' | 'tier' | 'week'> & {
    readonly sent: RankedPayloads;
  })[];
  readonly changes: readonly TraceChange[];
  /** Traces whose root now names another project or conversation than its earlier runs have. */
  readonly inherit: readonly TracePlace[];
  /** Runs beyond the limit of their trace, by request index. */
  readonly refused: ReadonlyMap<number, readonly RefusedRun[]>;
}

interface PlannedRun {
  readonly draft: RunDraft;
  readonly merged: RankedFields;
  readonly placement: Placement;
  readonly trace_key: string;
}

export function planFlush(facts: FlushFacts): FlushPlan {
  const { taken, refused } = withinLimit(facts, plannedOf(facts));
  const places = new Map(facts.places);
  const inherit: TracePlace[] = [];
  for (const root of taken.values()) {
    const before = places.get(root.trace_key);
    if (
      before === undefined ||
      !isRoot(root.merged.fields, { run_id: root.draft.run_id, trace_id: root.placement.trace_id })
    )
      continue;
    const place = {
      ...before,
      session_id: root.merged.fields.session?.id ?? facts.defaultSession(before.workspace_id),
      thread_id: root.merged.fields.thread_id ?? null,
    };
    places.set(root.trace_key, place);
    const changed = place.session_id !== before.session_id || place.thread_id !== before.thread_id;
    if (changed && !before.is_new) inherit.push(place);
  }
  const rows = rowsOf(facts, taken, places);
  return {
    rows: [...rows.values()],
    payloads: payloadsOf(taken, rows),
    changes: changesOf(facts, taken, places, rows),
    inherit,
    refused,
  };
}

function plannedOf(facts: FlushFacts): Map<string, PlannedRun> {
  const planned = [...facts.drafts].flatMap(([key, draft]) => {
    const placement = facts.placements.get(key);
    if (placement === undefined) return [];
    const merged = mergedOf(draft, facts.stored.get(key));
    const trace_key = traceKeyOf({ workspace_id: draft.workspace_id, trace_id: placement.trace_id });
    return [[key, { draft, merged, placement, trace_key }] as const];
  });
  return new Map(planned);
}

function withinLimit(facts: FlushFacts, planned: ReadonlyMap<string, PlannedRun>) {
  const taken = new Map<string, PlannedRun>();
  const refused = new Map<number, RefusedRun[]>();
  const counts = new Map([...facts.places].map(([key, place]) => [key, place.run_count]));
  for (const [key, one] of planned) {
    const count = counts.get(one.trace_key) ?? 0;
    if (facts.stored.has(key)) taken.set(key, one);
    else if (count < (facts.max_runs ?? MAX_RUNS_PER_TRACE)) {
      counts.set(one.trace_key, count + 1);
      taken.set(key, one);
    } else {
      for (const request of one.draft.requests) {
        const run = { run_id: one.draft.run_id, trace_id: one.placement.trace_id };
        const others = refused.get(request) ?? [];
        others.push(run);
        refused.set(request, others);
      }
    }
  }
  return { taken, refused };
}

/** A parent's row is made before its children's, since their order continues its order. */
function rowsOf(
  facts: FlushFacts,
  taken: ReadonlyMap<string, PlannedRun>,
  places: ReadonlyMap<string, TracePlace>,
): Map<string, RunRow> {
  const rows = new Map<string, RunRow>();
  /** The keys of runs whose row waits for the row of their parent. */
  const below = new Set<string>();
  const orderOf = (key: string): string | undefined => {
    if (below.has(key)) return undefined;
    return makeRow(key)?.dotted_order ?? facts.known.get(key)?.dotted_order;
  };
  const makeRow = (key: string): RunRow | undefined => {
    const made = rows.get(key);
    const one = taken.get(key);
    const place = one && places.get(one.trace_key);
    if (made !== undefined || one === undefined || place === undefined) return made;
    const { draft, merged } = one;
    const parent = sentParent(merged.fields);
    const needs_parent = parent !== undefined && merged.fields.dotted_order === undefined;
    below.add(key);
    const row = rowOf({
      draft,
      merged,
      stored: facts.stored.get(key),
      place,
      stray: one.placement.stray,
      parent_order: needs_parent
        ? orderOf(keyOf({ workspace_id: draft.workspace_id, run_id: parent }))
        : undefined,
      default_session_id: facts.defaultSession(draft.workspace_id),
      priceOf: facts.priceOf,
      now: facts.now,
    });
    below.delete(key);
    rows.set(key, row);
    return row;
  };
  for (const key of taken.keys()) makeRow(key);
  return rows;
}

function payloadsOf(taken: ReadonlyMap<string, PlannedRun>, rows: ReadonlyMap<string, RunRow>) {
  return [...taken].flatMap(([key, { draft }]) => {
    const row = rows.get(key);
    const { payloads, told } = draft.sent;
    if (row === undefined || (Object.keys(payloads).length === 0 && told.length === 0)) return [];
    const { workspace_id, run_id, tier, week } = row;
    return [{ workspace_id, run_id, tier, week, sent: draft.sent }];
  });
}

function changesOf(
  facts: FlushFacts,
  taken: ReadonlyMap<string, PlannedRun>,
  places: ReadonlyMap<string, TracePlace>,
  rows: ReadonlyMap<string, RunRow>,
): TraceChange[] {
  const changes = new Map<string, TraceChange>();
  for (const [key, { trace_key }] of taken) {
    const place = places.get(trace_key);
    const row = rows.get(key);
    if (place === undefined || row === undefined) continue;
    changes.set(
      trace_key,
      addRun(changes.get(trace_key) ?? { ...place, ...noChange }, facts.stored.get(key), row),
    );
  }
  const before = (change: TraceChange) => facts.places.get(traceKeyOf(change));
  return [...changes.values()].filter((change) => isChange(change, before(change)));
}

/** The totals of a trace that has no runs yet. */
export const noChange = {
  new_runs: 0,
  first_token_time: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  prompt_cost: null,
  completion_cost: null,
  total_cost: null,
  prompt_token_details: null,
  completion_token_details: null,
  prompt_cost_details: null,
  completion_cost_details: null,
};

function addRun(change: TraceChange, stored: RunRow | undefined, row: RunRow): TraceChange {
  return {
    ...addUsage(change, stored, row),
    new_runs: change.new_runs + (stored === undefined ? 1 : 0),
    first_token_time: earlier(change.first_token_time, row, stored),
  };
}

/** Replaces the stored usage of a run with its present usage. */
function addUsage(change: TraceChange, stored: RunRow | undefined, row: RunRow): TraceChange {
  const was = countedUsage(stored);
  const is = countedUsage(row);
  const details = (name: DetailName): Details | null =>
    addedDetails(change[name] ?? undefined, detailsChange(was[name], is[name])) ?? null;
  return {
    ...change,
    prompt_tokens: change.prompt_tokens + is.prompt_tokens - was.prompt_tokens,
    completion_tokens: change.completion_tokens + is.completion_tokens - was.completion_tokens,
    total_tokens: change.total_tokens + is.total_tokens - was.total_tokens,
    prompt_cost: addCost(change.prompt_cost, is.prompt_cost, was.prompt_cost),
    completion_cost: addCost(change.completion_cost, is.completion_cost, was.completion_cost),
    total_cost: addCost(change.total_cost, is.total_cost, was.total_cost),
    prompt_token_details: details('prompt_token_details'),
    completion_token_details: details('completion_token_details'),
    prompt_cost_details: details('prompt_cost_details'),
    completion_cost_details: details('completion_cost_details'),
  };
}

/** Whether the run loses a known value: the sums don't show whether other runs have it. */
export function losesFields(stored: RunRow | undefined, row: RunRow): boolean {
  const is = countedUsage(row);
  return Object.entries(countedUsage(stored)).some(([name, was]: [string, Usage[keyof Usage]]) => {
    const now = is[name as keyof Usage];
    if (was === undefined || now === undefined) return was !== undefined;
    return typeof was === 'object' && Object.keys(was).some((key) => !Object.hasOwn(Object(now), key));
  });
}

/**
 * The earlier first-token time; a time that is stored already changes nothing. Instants have one form, so that they
 * sort as texts.
 */
function earlier(time: string | null, row: RunRow, stored: RunRow | undefined): string | null {
  const { first_token_time } = row;
  if (first_token_time === null || first_token_time === stored?.first_token_time) return time;
  return time === null || first_token_time < time ? first_token_time : time;
}

function addCost(sum: string | null, is: string | undefined, was: string | undefined): string | null {
  if (is === undefined && was === undefined) return sum;
  return addDecimals(addDecimals(sum ?? '0', is ?? '0'), negated(was ?? '0'));
}

/** A flush that only completes runs writes nothing to their trace. */
function isChange(change: TraceChange, before: TracePlace | undefined): boolean {
  if (before === undefined || before.is_new) return true;
  const moved = change.session_id !== before.session_id || change.thread_id !== before.thread_id;
  const spent = change.total_tokens !== 0 || change.prompt_tokens !== 0 || change.completion_tokens !== 0;
  const more = change.new_runs > 0 || change.total_cost !== null || change.first_token_time !== null;
  return moved || spent || more || detailNames.some((name) => change[name] !== null);
}
