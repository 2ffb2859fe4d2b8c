import type { AssignedRevision, Assignment } from '@roadstead/contracts/control-plane';

/** What this data plane knows of a deployment. */
export interface LocalState {
  /** The revision that serves here; undefined when none does. */
  readonly serving: string | undefined;
  /** The generation whose end was reported last. */
  readonly reported_generation: number;
  /** The revision that failed here, and in which generation. */
  readonly failed: { readonly revision_id: string; readonly generation: number } | undefined;
  /** The active revision that could not be brought back when that was last tried. */
  readonly unrestorable: string | undefined;
  readonly open: boolean;
  readonly purged: boolean;
}

export const untouched: LocalState = {
  serving: undefined,
  reported_generation: 0,
  failed: undefined,
  unrestorable: undefined,
  open: false,
  purged: false,
};

/** What is done next for a deployment. */
export type Action =
  | { readonly kind: 'settled' }
  /** Bring back what served. */
  | { readonly kind: 'restore'; readonly revision: AssignedRevision }
  /** Try what is desired: build, start, switch. */
  | { readonly kind: 'roll out'; readonly revision: AssignedRevision }
  | { readonly kind: 'close' }
  | { readonly kind: 'purge' }
  | { readonly kind: 'report'; readonly what: 'removed' | 'serving' | 'failed' };

/**
 * The one next action towards the desired state; planning again after doing it comes to an end. What served comes back
 * first, unless that is what can't be done: then the newer revision gets its turn, since it may mend it.
 */
export function planAction(assignment: Assignment, local: LocalState): Action {
  if (assignment.removed) return planRemoval(assignment, local);
  const { active, revision, generation } = assignment;
  if (revision !== null && local.serving === revision.id) return planReport(assignment, local, 'serving');
  const hasFailed = local.failed?.revision_id === revision?.id && local.failed?.generation === generation;
  if (hasFailed && local.reported_generation !== generation) return { kind: 'report', what: 'failed' };
  const desired = hasFailed ? null : revision;
  const isUnrestorable = active !== null && local.unrestorable === active.id && desired !== null;
  if (active !== null && local.serving !== active.id && !isUnrestorable) return { kind: 'restore', revision: active };
  if (desired !== null) return { kind: 'roll out', revision: desired };
  if (active !== null) return planReport(assignment, local, 'serving');
  // Interrupted after it was switched to: nothing is to run.
  return revision === null && local.serving !== undefined ? { kind: 'close' } : { kind: 'settled' };
}

function planRemoval(assignment: Assignment, local: LocalState): Action {
  if (local.open) return { kind: 'close' };
  if (assignment.purge && !local.purged) return { kind: 'purge' };
  return planReport(assignment, local, 'removed');
}

/** Said once for each generation. */
function planReport({ generation }: Assignment, local: LocalState, what: 'removed' | 'serving'): Action {
  return local.reported_generation === generation ? { kind: 'settled' } : { kind: 'report', what };
}
