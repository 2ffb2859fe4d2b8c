import type { RunFields, RunOperation } from './run-operation.ts';
import { stampOf } from '../values/instant-rules.ts';
import { keyOf, type RunDraft } from './run-merge-rules.ts';

/**
 * Which trace a run belongs to, and its dotted order, where the client left that out: a root's trace
 * is its own id, a child's the one of its parent. A run whose place can't be known yet is a stray: it is kept as a
 * trace of its own until its parent, or the rest of it, comes.
 */

/** A stored run that a draft may refer to. */
export interface KnownRun {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly trace_id: string;
  readonly dotted_order: string;
}

export interface Surroundings {
  readonly drafts: ReadonlyMap<string, RunDraft>;
  /** Stored runs by key, as far as drafts without a place refer to them. */
  readonly known: ReadonlyMap<string, KnownRun>;
  /** Stored runs whose place isn't known yet, by key, with the trace in which they are kept meanwhile. */
  readonly strays: ReadonlyMap<string, { readonly trace_id: string }>;
}

const ID_LENGTH = 36;
/**
 * The depth to which orders are made here; deeper runs are placed beside those of this level: each order names all
 * runs above it, so that a trace would grow with the square of its depth.
 */
export const MAX_LEVELS = 1000;
const idOf = (segment: string | undefined): string | undefined => segment?.slice(-ID_LENGTH).toLowerCase();

/** The trace that the run itself names. */
export function sentTrace(fields: RunFields): string | undefined {
  return fields.trace_id ?? idOf(fields.dotted_order?.split('.')[0]);
}

/** The parent that the run itself names. */
export function sentParent(fields: RunFields): string | undefined {
  return fields.parent_run_id ?? idOf(fields.dotted_order?.split('.').at(-2));
}

/** Whether one of the operations begins a trace; parts of existing traces are always accepted. */
export function beginsTrace(runs: readonly RunOperation[]): boolean {
  return runs.some(
    ({ verb, has_main, run_id, fields }) =>
      verb === 'post' &&
      has_main &&
      fields.parent_run_id === undefined &&
      (fields.trace_id ?? run_id) === run_id &&
      fields.dotted_order?.includes('.') !== true,
  );
}

export function ancestorsOf(dotted_order: string): string[] {
  return dotted_order
    .split('.')
    .slice(0, -1)
    .map((segment) => segment.slice(-ID_LENGTH));
}

/** The dotted order of a run below a parent of this order. */
export function orderBelow(order: string | undefined, segment: string): string {
  const above = order === undefined || order === '' ? [] : order.split('.');
  return [...above.slice(0, MAX_LEVELS - 1), segment].join('.');
}

/** Whether the run is placed beside its parent rather than below it. */
export function isFlattened(run: {
  readonly dotted_order: string;
  readonly parent_run_id: string | null;
}): boolean {
  if (run.parent_run_id === null || run.dotted_order.length < MAX_LEVELS * ID_LENGTH) return false;
  const segments = run.dotted_order.split('.');
  return segments.length === MAX_LEVELS && idOf(segments.at(-2)) !== run.parent_run_id.toLowerCase();
}

export function segmentOf(start_time: string, run_id: string): string {
  return stampOf(start_time) + run_id;
}

/** Whether stored runs must be looked at before the draft can be placed. */
export function needsLookup(draft: RunDraft): boolean {
  const { fields } = draft;
  if (fields.dotted_order !== undefined) return false;
  return sentTrace(fields) === undefined || sentParent(fields) !== undefined || !draft.posted;
}

export interface Placement {
  readonly trace_id: string;
  /** Whether the run must be moved once more is known. */
  readonly stray: boolean;
}

/** The place where each draft is written now, by key. A stray stays where it is, and is moved afterwards. */
export function placementsOf(around: Surroundings): Map<string, Placement> {
  const placements = new Map<string, Placement>();
  for (const draft of around.drafts.values())
    for (const one of unplacedAbove(draft, around, placements).toReversed())
      placements.set(keyOf(one), placementOf(one, around, placements));
  return placements;
}

type Placements = ReadonlyMap<string, Placement>;

/** The draft and those above it, up to one that is placed, isn't a draft, or is in the list already. */
function unplacedAbove(draft: RunDraft, around: Surroundings, placements: Placements): RunDraft[] {
  const drafts = new Map<string, RunDraft>();
  let next: RunDraft | undefined = draft;
  while (next !== undefined && !placements.has(keyOf(next)) && !drafts.has(keyOf(next))) {
    drafts.set(keyOf(next), next);
    const parent: RunDraft | KnownRun | 'none' | 'missing' = saysItsPlace(next)
      ? 'none'
      : parentOf(next, around);
    next = typeof parent === 'object' && 'fields' in parent ? parent : undefined;
  }
  return [...drafts.values()];
}

/** SDKs send the complete place: nothing is left to find out. */
const saysItsPlace = ({ fields }: RunDraft) =>
  sentTrace(fields) !== undefined && fields.dotted_order !== undefined;

function placementOf(draft: RunDraft, around: Surroundings, placements: Placements): Placement {
  const key = keyOf(draft);
  const kept = around.strays.get(key);
  if (kept !== undefined) return { trace_id: kept.trace_id, stray: true };
  const named = sentTrace(draft.fields);
  if (named !== undefined && saysItsPlace(draft)) return { trace_id: named, stray: false };
  const parent = parentOf(draft, around);
  const above = parentTraceOf(parent, placements);
  const said = named ?? around.known.get(key)?.trace_id;
  const trace_id = said ?? above ?? draft.run_id;
  // Without its beginning a run's order is a guess, which runs below it would repeat; and a parent that is still a
  // stray doesn't know its own order.
  const began = draft.posted || draft.fields.start_time !== undefined;
  const follows = parent === 'none' ? draft.posted : above === trace_id;
  return { trace_id, stray: !(around.known.has(key) || (began && follows)) };
}

/** Undefined where the parent is missing, or where runs name each other as parents. */
function parentTraceOf(parent: ReturnType<typeof parentOf>, placements: Placements): string | undefined {
  if (typeof parent === 'string') return undefined;
  return 'fields' in parent ? placements.get(keyOf(parent))?.trace_id : parent.trace_id;
}

/** A parent in the same flush, a stored one, no parent, or one that is missing so far. */
function parentOf(draft: RunDraft, around: Surroundings): RunDraft | KnownRun | 'none' | 'missing' {
  const run_id = sentParent(draft.fields);
  if (run_id === undefined || run_id === draft.run_id) return 'none';
  const key = keyOf({ workspace_id: draft.workspace_id, run_id });
  return around.drafts.get(key) ?? around.known.get(key) ?? 'missing';
}
