import type { Assignment } from '@roadstead/contracts';

/** What this data plane knows of a deployment. */
export interface LocalState {
  /** The revision that serves here; undefined when none does. */
  readonly serving: string | undefined;
  /** Generations whose end has been reported. */
  readonly reported_generation: number;
  /** The revision that failed here, and in which generation. */
  readonly failed: { readonly revision_id: string; readonly generation: number } | undefined;
  /** The active revision that can't be brought back; what is to be reached may mend that. */
  readonly lost: string | undefined;
  readonly open: boolean;
  readonly purged: boolean;
}

export const untouched: LocalState = {
  serving: undefined,
  reported_generation: 0,
  failed: undefined,
  lost: undefined,
  open: false,
  purged: false,
};

export type Step =
  | { readonly kind: 'settled' }
  /** Brings the active revision back. */
  | { readonly kind: 'restore' }
  | { readonly kind: 'reach' }
  | { readonly kind: 'close' }
  | { readonly kind: 'purge' }
  | { readonly kind: 'report'; readonly what: 'removed' | 'serving' | 'failed' };

/** The one next step towards the desired state; planning again after doing it comes to an end. */
export function planStep(assignment: Assignment, local: LocalState): Step {
  if (assignment.removed) return planRemoval(assignment, local);
  const { active, revision, generation } = assignment;
  const isReported = local.reported_generation >= generation;
  if (revision !== null && local.serving === revision.id)
    return isReported ? { kind: 'settled' } : { kind: 'report', what: 'serving' };
  if (active !== null && local.serving === undefined && local.lost !== active.id) return { kind: 'restore' };
  if (revision === null) {
    return local.serving === undefined || isReported
      ? { kind: 'settled' }
      : { kind: 'report', what: 'serving' };
  }
  if (local.failed?.revision_id === revision.id && local.failed.generation === generation)
    return isReported ? { kind: 'settled' } : { kind: 'report', what: 'failed' };
  return { kind: 'reach' };
}

function planRemoval(assignment: Assignment, local: LocalState): Step {
  if (local.open) return { kind: 'close' };
  if (assignment.purge && !local.purged) return { kind: 'purge' };
  return local.reported_generation < assignment.generation
    ? { kind: 'report', what: 'removed' }
    : { kind: 'settled' };
}
