import { ancestorsOf, type KnownRun, orderBelow, segmentOf } from '../records/placement-rules.ts';
import { keyOf } from '../records/run-merge-rules.ts';
import { traceKeyOf, type TraceMerge, type TracePlace } from '../records/run-row.ts';
import type { MovedRun, Stray } from './stray.ts';
import type { TraceKey } from '../values/keys.ts';

/** Decides where strays belong, as far as that is known. */

export interface StrayFacts {
  /** The stray, with the trace in which it is kept. */
  readonly stray: Stray;
  /** Its order in that trace. */
  readonly dotted_order: string;
  /** The place that the run itself names. */
  readonly said: { readonly trace_id: string | undefined; readonly dotted_order: string | undefined };
  readonly start_time: string;
  /** Whether its start was sent, or nothing more is to be expected of it. */
  readonly began: boolean;
  /** Whether it certainly has no parent when it names none. */
  readonly posted: boolean;
}

export interface Target {
  readonly settling: StrayFacts;
  readonly trace_id: string;
  readonly dotted_order: string;
  /** Whether it needs no other move. */
  readonly settled: boolean;
}

type KnownRuns = ReadonlyMap<string, KnownRun>;

const parentOf = ({ stray: { workspace_id, parent_run_id } }: StrayFacts, known: KnownRuns) =>
  parent_run_id === null ? undefined : known.get(keyOf({ workspace_id, run_id: parent_run_id }));

export function isPlaceable(settling: StrayFacts, known: KnownRuns): boolean {
  const { said, posted, stray } = settling;
  if (said.trace_id !== undefined) return true;
  return stray.parent_run_id === null ? posted : parentOf(settling, known) !== undefined;
}

/**
 * The targets by the stray's key. Where a parent moves too, the stray goes below the parent's new place. Pauses, as
 * lines of parents may be long.
 */
export function* targetsOf(
  placeable: readonly StrayFacts[],
  known: KnownRuns,
): Generator<void, Map<string, Target>, void> {
  const settlings = new Map(placeable.map((settling) => [keyOf(settling.stray), settling]));
  const carriers = new Map<KnownRun, StrayFacts | undefined>();
  const carrierOf = (settling: StrayFacts): StrayFacts | undefined => {
    const parent = parentOf(settling, known);
    if (parent === undefined) return undefined;
    if (!carriers.has(parent)) carriers.set(parent, carrying(parent, settlings));
    return carriers.get(parent);
  };
  const targets = new Map<string, Target>();
  for (const settling of placeable) {
    const line = new Set<StrayFacts>();
    let at: StrayFacts | undefined = settling;
    while (at !== undefined && !line.has(at) && !targets.has(keyOf(at.stray))) {
      line.add(at);
      at = carrierOf(at);
      yield;
    }
    for (const one of [...line].toReversed()) {
      const parent = parentOf(one, known);
      const carrier = carrierOf(one);
      const carried = carrier && targets.get(keyOf(carrier.stray));
      const above = carrier && carried && parent ? movedWith(parent, { carrier, carried }) : parent;
      targets.set(keyOf(one.stray), targetOf(one, above));
      yield;
    }
  }
  return targets;
}

/** The lowest stray above the run, or the run itself where it is one. */
function carrying(run: KnownRun, settlings: ReadonlyMap<string, StrayFacts>): StrayFacts | undefined {
  const line = [...ancestorsOf(run.dotted_order), run.run_id];
  return line
    .toReversed()
    .map((run_id) => settlings.get(keyOf({ workspace_id: run.workspace_id, run_id })))
    .find((one) => one?.stray.trace_id === run.trace_id && run.dotted_order.startsWith(one.dotted_order));
}

type RunPosition = Pick<KnownRun, 'trace_id' | 'dotted_order'>;

function movedWith(
  run: KnownRun,
  { carrier, carried }: { readonly carrier: StrayFacts; readonly carried: Target },
): RunPosition {
  const rest = run.dotted_order.slice(carrier.dotted_order.length);
  return { trace_id: carried.trace_id, dotted_order: carried.dotted_order + rest };
}

function targetOf(settling: StrayFacts, parent: RunPosition | undefined): Target {
  const { stray, said, start_time, began, posted } = settling;
  const is_root = stray.parent_run_id === null && posted;
  const trace_id = said.trace_id ?? parent?.trace_id ?? stray.run_id;
  const follows = is_root || parent?.trace_id === trace_id;
  return {
    settling,
    trace_id,
    dotted_order: said.dotted_order ?? orderBelow(parent?.dotted_order, segmentOf(start_time, stray.run_id)),
    settled: said.dotted_order !== undefined || (began && follows),
  };
}

/** The strays that can be moved at once; the others follow, since their trace is about to become part of another. */
export function movedFirst(targets: readonly Target[]): Target[] {
  const left = new Set(targets.filter(leavesTrace).map(({ settling: { stray } }) => traceKeyOf(stray)));
  const first = targets.filter(
    ({ settling: { stray }, trace_id }) => !left.has(traceKeyOf({ ...stray, trace_id })),
  );
  // Runs that name each other's traces.
  return first.length > 0 ? first : targets.slice(0, 1);
}

/** The strays that fit into their traces. All runs of an abandoned trace are assumed to move along. */
export function fittingTargets(
  targets: readonly Target[],
  { places, max_runs }: { readonly places: ReadonlyMap<string, TracePlace>; readonly max_runs: number },
): Target[] {
  const counts = new Map<string, number>();
  const counted = new Set<string>();
  return targets.filter((target) => {
    const { settling, trace_id } = target;
    const [from, to] = [traceKeyOf(settling.stray), traceKeyOf({ ...settling.stray, trace_id })];
    if (from === to || counted.has(`${from} ${to}`)) return true;
    const runsOf = (key: string) => places.get(key)?.run_count ?? 0;
    const count = (counts.get(to) ?? runsOf(to)) + runsOf(from);
    if (count > max_runs) return false;
    counts.set(to, count);
    counted.add(`${from} ${to}`);
    return true;
  });
}

export const leavesTrace = ({ settling, trace_id }: Target): boolean => settling.stray.trace_id !== trace_id;

/** Traces all of whose runs moved to another are added to it; where some stay, both are counted again. */
export function leftTraces(moved: readonly MovedRun[], places: ReadonlyMap<string, TracePlace>) {
  const whole: TraceMerge[] = [];
  const parts: TraceKey[] = [];
  const left = moved.filter((run) => run.from_trace !== run.trace_id);
  const groups = Map.groupBy(left, (run) => traceKeyOf({ ...run, trace_id: run.from_trace }));
  for (const [key, runs] of groups) {
    const targets = new Set(runs.map((run) => run.trace_id));
    const [{ workspace_id, from_trace: from, trace_id: to } = nowhere] = runs;
    if (targets.size === 1 && places.get(key)?.run_count === runs.length)
      whole.push({ workspace_id, from, to });
    else parts.push({ workspace_id, trace_id: from }, ...runs);
  }
  return { whole, parts };
}

const nowhere = { workspace_id: '', from_trace: '', trace_id: '' };
