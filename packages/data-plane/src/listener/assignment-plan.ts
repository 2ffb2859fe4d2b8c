import type { AssignedRevision, Assignment } from '@roadstead/contracts/control-plane';

/** The local state of a deployment. */
export interface LocalState {
  /** The revision that serves here; undefined when none does. */
  readonly serving: string | undefined;
  /** The last generation whose end was reported. */
  readonly reported_generation: number;
  /** The revision that failed here, and its generation. */
  readonly failed: { readonly revision_id: string; readonly generation: number } | undefined;
  /** The active revision that could not be restored at the last attempt. */
  readonly unrestorable: string | undefined;
  readonly open: boolean;
  readonly purged: boolean;
  /** Whether another instance may have had it since it was opened: it is opened anew. */
  readonly is_stale: boolean;
  /** The last generation whose step of a handover was reported. */
  readonly handed_generation: number;
}

export const untouched: LocalState = {
  serving: undefined,
  reported_generation: 0,
  failed: undefined,
  unrestorable: undefined,
  open: false,
  purged: false,
  is_stale: false,
  handed_generation: 0,
};

/** The next step for a deployment. */
export type Action =
  | { readonly kind: 'settled' }
  /** Restore the revision that served. */
  | { readonly kind: 'restore'; readonly revision: AssignedRevision }
  /** Roll out the desired revision: build, start, switch. */
  | { readonly kind: 'roll out'; readonly revision: AssignedRevision }
  | { readonly kind: 'close' }
  | { readonly kind: 'purge' }
  /** Fetch what running it takes, since it comes from another instance. */
  | { readonly kind: 'prepare'; readonly revision: AssignedRevision | null }
  /** Report that it is closed, since it goes to another instance. */
  | { readonly kind: 'hand over' }
  | { readonly kind: 'report'; readonly what: 'removed' | 'serving' | 'failed' };

/**
 * The one next action towards the desired state; planning again after each action comes to an end. The revision that
 * served is restored first, unless that failed: then the newer revision gets its turn, since it may repair it.
 */
export function planAction(assignment: Assignment, local: LocalState): Action {
  if (local.is_stale && local.open) return { kind: 'close' };
  if ((assignment.hold ?? 'run') !== 'run') return planHandover(assignment, local);
  if (assignment.removed) return planRemoval(assignment, local);
  const { active, revision, generation } = assignment;
  if (revision !== null && local.serving === revision.id) return planReport(assignment, local, 'serving');
  const hasFailed = local.failed?.revision_id === revision?.id && local.failed?.generation === generation;
  if (hasFailed && local.reported_generation !== generation) return { kind: 'report', what: 'failed' };
  const desired = hasFailed ? null : revision;
  const isUnrestorable = active !== null && local.unrestorable === active.id && desired !== null;
  if (active !== null && local.serving !== active.id && !isUnrestorable)
    return { kind: 'restore', revision: active };
  if (desired !== null) return { kind: 'roll out', revision: desired };
  if (active !== null) return planReport(assignment, local, 'serving');
  // Interrupted after it was switched to, or closed but for processes that do not end: nothing is to run.
  return revision === null && (local.serving !== undefined || local.open)
    ? { kind: 'close' }
    : { kind: 'settled' };
}

/** What another instance has, or will have, is not open here. */
function planHandover({ hold, active, generation }: Assignment, local: LocalState): Action {
  if (local.open) return { kind: 'close' };
  if (local.handed_generation === generation) return { kind: 'settled' };
  return hold === 'prepare' ? { kind: 'prepare', revision: active } : { kind: 'hand over' };
}

function planRemoval(assignment: Assignment, local: LocalState): Action {
  if (local.open) return { kind: 'close' };
  if (assignment.purge && !local.purged) return { kind: 'purge' };
  return planReport(assignment, local, 'removed');
}

/** Reported once for each generation. */
function planReport({ generation }: Assignment, local: LocalState, what: 'removed' | 'serving'): Action {
  return local.reported_generation === generation ? { kind: 'settled' } : { kind: 'report', what };
}
