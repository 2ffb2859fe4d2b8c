import { TimeSlice, inTimeSlices } from '@roadstead/kit';
import type { UnderLock } from '@roadstead/postgres';
import { weekOf } from '../partitions/week-rules.ts';
import { MAX_RUNS_PER_TRACE } from '../records/run-operation.ts';
import { type FlushFacts, noChange } from './flush-rules.ts';
import { sentTrace } from '../records/placement-rules.ts';
import { keyOf } from '../records/run-merge-rules.ts';
import { mergedOf } from './run-row-rules.ts';
import { own, type RunRow, type TracePlace, traceKeyOf } from '../records/run-row.ts';
import { findKnownRuns, inheritFromRoots, readRunsIn } from '../records/run-store.ts';
import { recountTraces } from '../records/run-removal-store.ts';
import { recountNested } from './nested-calls-work.ts';
import {
  fittingTargets,
  isPlaceable,
  leavesTrace,
  leftTraces,
  movedFirst,
  type StrayFacts,
  type Target,
  targetsOf,
} from './stray-rules.ts';
import { findStraysOf, forgetStrays, keepStrays, moveStrays } from './stray-store.ts';
import type { MovedRun, Stray } from './stray.ts';
import { insertTraces, lockTraces, mergeTraces } from '../records/trace-store.ts';

/**
 * The last step of a flush: runs without a known place are kept as strays; those that can now be placed, since their
 * rest or their parent arrived, are moved there. Hundreds may wait for one parent, so all that can be moved is moved
 * at once.
 * @returns the runs that were moved.
 */
export async function settleStrays(
  tx: UnderLock<'strays'>,
  flush: {
    readonly facts: FlushFacts;
    readonly rows: readonly RunRow[];
    readonly strays: ReadonlyMap<string, Stray>;
    readonly now_ms: number;
  },
): Promise<readonly MovedRun[]> {
  const { facts, strays } = flush;
  const all_moved = new Map<string, MovedRun>();
  const written = new Set(flush.rows.map(keyOf));
  const waiting = [...strays.values()].filter((stray) => !written.has(keyOf(stray)));
  let open = [
    ...flush.rows.flatMap((row) => settlingOf(row, facts)),
    ...(await storedSettlings(tx, waiting)),
  ];
  const slice = new TimeSlice();
  /** Strays whose trace is full: they stay where they are. */
  const full: StrayFacts[] = [];
  // A moved run may be the one for which another waits.
  for (let isMoving = true; isMoving && open.length > 0;) {
    const known = await findKnownRuns(tx, open.flatMap(parentOf));
    const placeable = open.filter((settling) => isPlaceable(settling, known));
    const targets = await inTimeSlices(targetsOf(placeable, known), slice);
    const chosen = movedFirst([...targets.values()]);
    const { places, locked } = await placesOf(tx, chosen, flush.now_ms);
    const first = fittingTargets(chosen, { places, max_runs: MAX_RUNS_PER_TRACE });
    const fitting = new Set(first);
    full.push(...chosen.filter((one) => !fitting.has(one)).map(({ settling }) => settling));
    const moved = await moveAll(locked, first, places);
    for (const [key, run] of moved) all_moved.set(key, run);
    const settled = new Map(
      first.filter((one) => one.settled).map(({ settling: { stray } }) => [keyOf(stray), stray]),
    );
    await forgetStrays(tx, [...settled.values()]);
    const kept = new Set(full.map(({ stray }) => keyOf(stray)));
    const left = open
      .filter(({ stray }) => !settled.has(keyOf(stray)) && !kept.has(keyOf(stray)))
      .map((settling) => movedOn(settling, moved.get(keyOf(settling.stray))));
    const known_left = new Set([...kept, ...left.map(({ stray }) => keyOf(stray))]);
    const found = await findStraysOf(tx, [...settled.values(), ...movedWith(settled, moved)]);
    isMoving =
      settled.size > 0 ||
      first.length < chosen.length ||
      (chosen.length < targets.size && first.some(leavesTrace));
    open = [
      ...left,
      ...(await storedSettlings(
        tx,
        found.filter((stray) => !known_left.has(keyOf(stray))),
      )),
    ];
  }
  await keepStrays(
    tx,
    [...open, ...full].map(({ stray }) => stray),
  );
  return [...all_moved.values()];
}

function parentOf({ stray: { workspace_id, parent_run_id } }: StrayFacts) {
  return parent_run_id === null ? [] : [{ workspace_id, run_id: parent_run_id }];
}

function movedOn(settling: StrayFacts, moved: MovedRun | undefined): StrayFacts {
  if (moved === undefined) return settling;
  const { trace_id, tier, week, dotted_order } = moved;
  return { ...settling, dotted_order, stray: { ...settling.stray, trace_id, tier, week } };
}

/** The runs that were moved along with the strays that are settled now. */
function movedWith(settled: ReadonlyMap<string, Stray>, moved: ReadonlyMap<string, MovedRun>): MovedRun[] {
  return [...moved.values()].filter(({ workspace_id, with_run_id }) =>
    settled.has(keyOf({ workspace_id, run_id: with_run_id })),
  );
}

async function storedSettlings(tx: UnderLock<'strays'>, strays: readonly Stray[]): Promise<StrayFacts[]> {
  const settlings: StrayFacts[] = [];
  for (const group of Map.groupBy(strays, ({ tier, week }) => `${tier}/${week}`).values()) {
    const [partition = { tier: '', week: '' }] = group;
    const rows = await readRunsIn(tx, { partition, run_ids: group.map(({ run_id }) => run_id) });
    for (const stray of group) {
      const row = rows.get(keyOf(stray));
      if (row === undefined) continue;
      const { start_time, dotted_order } = row;
      const trace_id = (row.own & own.trace_id) === 0 ? undefined : row.trace_id;
      const began = (row.own & own.start_time) !== 0;
      const said = { trace_id, dotted_order: undefined };
      settlings.push({ stray, dotted_order, said, start_time, began, posted: false });
    }
  }
  return settlings;
}

function settlingOf(row: RunRow, facts: FlushFacts): StrayFacts[] {
  const key = keyOf(row);
  const draft = facts.drafts.get(key);
  if (draft === undefined || facts.placements.get(key)?.stray !== true) return [];
  const { fields } = mergedOf(draft, facts.stored.get(key));
  const { workspace_id, run_id, parent_run_id, trace_id, tier, week, dotted_order } = row;
  return [
    {
      stray: { workspace_id, run_id, parent_run_id, trace_id, tier, week },
      dotted_order,
      said: { trace_id: sentTrace(fields), dotted_order: fields.dotted_order },
      start_time: row.start_time,
      began: draft.posted || (row.own & own.start_time) !== 0,
      posted: draft.posted,
    },
  ];
}

/** @returns every run with a new place, by key. */
async function moveAll(
  locked: UnderLock<'traces'>,
  targets: readonly Target[],
  places: ReadonlyMap<string, TracePlace>,
): Promise<Map<string, MovedRun>> {
  const moves = targets.flatMap(
    ({ settling: { stray, dotted_order: from_order }, trace_id, dotted_order }) => {
      const place = places.get(traceKeyOf({ ...stray, trace_id }));
      if (place === undefined) return [];
      const { tier, week } = place;
      const isThere = stray.trace_id === trace_id && from_order === dotted_order;
      if (isThere && stray.tier === tier && stray.week === week) return [];
      return [{ stray, from_order, to: { tier, week, trace_id, dotted_order } }];
    },
  );
  if (moves.length === 0) return new Map();
  const moved = await moveStrays(locked, moves);
  const { whole, parts } = leftTraces(moved, places);
  await mergeTraces(locked, whole);
  await recountTraces(locked, parts);
  // Its amounts are not looked up, since few runs are moved below a call.
  await recountNested(
    locked,
    moved.map((run) => ({ ...run, counts: true, was_outer: false, is_alone: false })),
  );
  const reached = new Set(moves.map(({ stray, to }) => traceKeyOf({ ...stray, trace_id: to.trace_id })));
  await inheritFromRoots(
    locked,
    [...places].flatMap(([key, place]) => (reached.has(key) && place.session_id !== null ? [place] : [])),
  );
  return new Map(moved.map((run) => [keyOf(run), run]));
}

/** The traces that they are in and those that they move to, which are created where they do not exist yet. */
async function placesOf(
  tx: UnderLock<'strays'>,
  targets: readonly Target[],
  now_ms: number,
): Promise<{ readonly places: ReadonlyMap<string, TracePlace>; readonly locked: UnderLock<'traces'> }> {
  const wanted = targets.map(({ settling: { stray }, trace_id }) => ({ ...stray, trace_id }));
  const { places, locked } = await lockTraces(tx, [
    ...wanted,
    ...targets.map(({ settling }) => settling.stray),
  ]);
  const begun = new Map<string, TracePlace>();
  for (const { workspace_id, trace_id, tier } of wanted) {
    const key = traceKeyOf({ workspace_id, trace_id });
    if (places.has(key)) continue;
    const nobody = { session_id: null, thread_id: null, run_count: 0, is_new: true };
    begun.set(key, { workspace_id, trace_id, tier, week: weekOf(now_ms), ...nobody });
  }
  await insertTraces(tx, {
    traces: [...begun.values()].map((place) => ({ ...place, ...noChange })),
    received_at: new Date(now_ms).toISOString(),
  });
  return { places: new Map([...places, ...begun]), locked };
}
