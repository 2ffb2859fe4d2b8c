import type { Assignment } from '@roadstead/contracts';

/** What this data plane knows of a deployment. */
export interface LocalState {
  /** The revision that serves here; undefined when none does. */
  readonly serving: string | undefined;
  /** Generations whose end has been reported. */
  readonly reported_generation: number;
  /** The revision that failed here, and in which generation. */
  readonly failed: { readonly revision_id: string; readonly generation: number } | undefined;
  readonly open: boolean;
  readonly purged: boolean;
}

export type Step =
  | { readonly kind: 'settled' }
  | { readonly kind: 'restore'; readonly which: 'active' }
  | { readonly kind: 'reach' }
  | { readonly kind: 'close' }
  | { readonly kind: 'purge' }
  | { readonly kind: 'report'; readonly what: 'removed' | 'serving' };

/** The one next step towards the desired state; planning again after doing it comes to an end. */
export function planStep(assignment: Assignment, local: LocalState): Step {
  if (assignment.removed) return planRemoval(assignment, local);
  const { active, revision, generation } = assignment;
  if (revision !== null && local.serving === revision.id) {
    return local.reported_generation < generation ? { kind: 'report', what: 'serving' } : { kind: 'settled' };
  }
  if (active !== null && local.serving === undefined) return { kind: 'restore', which: 'active' };
  const gaveUp = local.failed?.revision_id === revision?.id && local.failed?.generation === generation;
  return revision !== null && !gaveUp ? { kind: 'reach' } : { kind: 'settled' };
}

function planRemoval(assignment: Assignment, local: LocalState): Step {
  if (local.open) return { kind: 'close' };
  if (assignment.purge && !local.purged) return { kind: 'purge' };
  return local.reported_generation < assignment.generation
    ? { kind: 'report', what: 'removed' }
    : { kind: 'settled' };
}
