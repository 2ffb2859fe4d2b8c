import type { Locked } from '@roadstead/kit';
import { weekOf } from '../partitions/week-rules.ts';
import { type FlushFacts, noChange } from './flush-rules.ts';
import { orderBelow, saidTrace, segmentOf } from './placement-rules.ts';
import { keyOf } from './run-merge-rules.ts';
import { mergedOf } from './run-row-rules.ts';
import { own, type RunRow, type TracePlace, traceKeyOf } from './run-row.ts';
import { findKnownRuns, inheritFromRoot, readRunsIn } from './run-store.ts';
import { findStraysBelow, forgetStray, keepStrays, moveStray, type Stray } from './stray-store.ts';
import { insertTraces, lockTraces } from './trace-store.ts';

interface Moved {
  readonly place: TracePlace;
  readonly dotted_order: string;
}

interface Settling {
  /** Where it is kept, also after a move that settles nothing yet. */
  stray: Stray;
  /** What the run itself says of its place. */
  readonly said: { readonly trace_id: string | undefined; readonly dotted_order: string | undefined };
  readonly start_time: string;
  /** Whether it said when it began, or has nothing more to say of that. */
  readonly began: boolean;
  /** Whether it is known to have no parent when it names none. */
  readonly posted: boolean;
}

/**
 * The last step of a flush: runs that could not be placed are kept as strays; those that can be placed by now, since
 * the rest of them or their parent came, are moved to where they belong.
 */
export async function settleStrays(
  tx: Locked<'strays'>,
  flush: {
    readonly facts: FlushFacts;
    readonly rows: readonly RunRow[];
    readonly strays: ReadonlyMap<string, Stray>;
    readonly now_ms: number;
  },
): Promise<void> {
  const { facts, strays } = flush;
  const written = new Set(flush.rows.map(keyOf));
  const waiting = [...strays.values()].filter((stray) => !written.has(keyOf(stray)));
  let open = [
    ...flush.rows.flatMap((row) => settlingOf(row, facts)),
    ...(await storedSettlings(tx, waiting)),
  ];
  // One that is moved may be what another waits for.
  for (let moved = true; moved && open.length > 0;) {
    const { placeable, left } = await sortedOut(tx, open);
    const found: Stray[] = [];
    for (const settling of placeable) {
      const place = await settle(tx, settling, flush.now_ms);
      if (place === undefined) left.push(settling);
      else found.push(...(await findStraysBelow(tx, place)));
    }
    moved = left.length < open.length;
    const known = new Set(left.map(({ stray }) => keyOf(stray)));
    open = [
      ...left,
      ...(await storedSettlings(
        tx,
        found.filter((stray) => !known.has(keyOf(stray))),
      )),
    ];
  }
}

/** Many may come whose parents are still to come: these are kept at once. */
async function sortedOut(tx: Locked<'strays'>, open: readonly Settling[]) {
  const parents = open.flatMap(({ stray: { workspace_id, parent_run_id } }) =>
    parent_run_id === null ? [] : [{ workspace_id, run_id: parent_run_id }],
  );
  const known = await findKnownRuns(tx, parents);
  const isPlaceable = ({ said, posted, stray: { workspace_id, parent_run_id } }: Settling) =>
    said.trace_id !== undefined ||
    (parent_run_id === null ? posted : known.has(keyOf({ workspace_id, run_id: parent_run_id })));
  const left = open.filter((settling) => !isPlaceable(settling));
  await keepStrays(
    tx,
    left.map(({ stray }) => stray),
  );
  return { placeable: open.filter(isPlaceable), left };
}

async function storedSettlings(tx: Locked<'strays'>, strays: readonly Stray[]): Promise<Settling[]> {
  const settlings: Settling[] = [];
  for (const stray of strays) {
    const row = (await readRunsIn(tx, { partition: stray, run_ids: [stray.run_id] })).get(keyOf(stray));
    if (row === undefined) continue;
    const trace_id = (row.own & own.trace_id) === 0 ? undefined : row.trace_id;
    const began = (row.own & own.start_time) !== 0;
    const said = { trace_id, dotted_order: undefined };
    settlings.push({ stray, said, start_time: row.start_time, began, posted: false });
  }
  return settlings;
}

function settlingOf(row: RunRow, facts: FlushFacts): Settling[] {
  const key = keyOf(row);
  const draft = facts.drafts.get(key);
  if (draft === undefined || facts.placements.get(key)?.stray !== true) return [];
  const { fields } = mergedOf(draft, facts.stored.get(key));
  const { workspace_id, run_id, parent_run_id, trace_id, tier, week } = row;
  return [
    {
      stray: { workspace_id, run_id, parent_run_id, trace_id, tier, week },
      said: { trace_id: saidTrace(fields), dotted_order: fields.dotted_order },
      start_time: row.start_time,
      began: draft.posted || (row.own & own.start_time) !== 0,
      posted: draft.posted,
    },
  ];
}

/** Where it is now, once that is settled; otherwise it is kept for later. */
async function settle(tx: Locked<'strays'>, settling: Settling, now_ms: number): Promise<Moved | undefined> {
  const { stray } = settling;
  const target = await targetOf(tx, settling);
  if (target === undefined) {
    await keepStrays(tx, [stray]);
    return undefined;
  }
  const { place, locked } = await placeOf(tx, stray, target.trace_id, now_ms);
  const moved = { place, dotted_order: target.dotted_order };
  await moveStray(locked, stray, moved);
  if (place.session_id !== null) await inheritFromRoot(locked, place, own);
  if (target.settled) {
    await forgetStray(tx, stray);
    return moved;
  }
  const { trace_id, tier, week } = place;
  settling.stray = { ...stray, trace_id, tier, week };
  await keepStrays(tx, [settling.stray]);
  return undefined;
}

/** Where the run belongs, as far as that is known. */
async function targetOf(tx: Locked<'strays'>, { stray, said, start_time, began, posted }: Settling) {
  const { workspace_id, run_id, parent_run_id } = stray;
  const is_root = parent_run_id === null && posted;
  const found =
    parent_run_id === null ? new Map() : await findKnownRuns(tx, [{ workspace_id, run_id: parent_run_id }]);
  const parent = [...found.values()][0];
  const trace_id = said.trace_id ?? parent?.trace_id ?? (is_root ? run_id : undefined);
  if (trace_id === undefined) return undefined;
  const segment = segmentOf(start_time, run_id);
  const derived = orderBelow(parent?.dotted_order, segment);
  const follows = is_root || parent?.trace_id === trace_id;
  const settled = said.dotted_order !== undefined || (began && follows);
  return { trace_id, dotted_order: said.dotted_order ?? derived, settled };
}

async function placeOf(
  tx: Locked<'strays'>,
  stray: Stray,
  trace_id: string,
  now_ms: number,
): Promise<{ readonly place: TracePlace; readonly locked: Locked<'traces'> }> {
  const trace = { workspace_id: stray.workspace_id, trace_id };
  const { places, locked } = await lockTraces(tx, [trace]);
  const there = places.get(traceKeyOf(trace));
  if (there !== undefined) return { place: there, locked };
  const place = {
    ...trace,
    tier: stray.tier,
    week: weekOf(now_ms),
    session_id: null,
    thread_id: null,
    run_count: 0,
    is_new: true,
  };
  await insertTraces(tx, {
    traces: [{ ...place, ...noChange }],
    received_at: new Date(now_ms).toISOString(),
  });
  return { place, locked };
}
