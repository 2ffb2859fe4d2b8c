import type { RevisionStatus, StoredDeploymentStatus } from '@roadstead/contracts/control-plane';

/** Plans the next step of a deployment's loop: a pure function of everything that is recorded of it. */

type RevisionNumber = Pick<PlannedRevision, 'id' | 'number'>;

export interface PlannedRevision {
  readonly id: string;
  readonly number: number;
  readonly status: RevisionStatus;
  /** Whether its source or its artifact is there. */
  readonly has_source: boolean;
}

export interface DeploymentState {
  readonly status: StoredDeploymentStatus;
  readonly has_project: boolean;
  readonly has_key: boolean;
  /** Whether all its keys have been revoked. */
  readonly keys_revoked: boolean;
  /** Whether the tracing project is deleted with the deployment. */
  readonly delete_project: boolean;
  readonly purge_due: boolean;
  /** The newest revision, whatever became of it; null where it is not known, since nothing is open. */
  readonly latest: RevisionNumber | null;
  /** The revisions that have not reached an end. */
  readonly revisions: readonly PlannedRevision[];
  readonly assignment: {
    /** 0 before the first assignment. */
    readonly generation: number;
    readonly removed: boolean;
    readonly purge: boolean;
    /** Whether the listener has reported that this very generation is done. */
    readonly is_done: boolean;
  };
}

export type Action =
  | { readonly kind: 'wait' }
  | { readonly kind: 'skip'; readonly revision: PlannedRevision; readonly by: RevisionNumber }
  | { readonly kind: 'make_project'; readonly revision: PlannedRevision }
  | { readonly kind: 'make_key' }
  | { readonly kind: 'queue'; readonly revision: PlannedRevision; readonly behind: PlannedRevision }
  /** Taken out of the bin: the revision that served is desired again. */
  | { readonly kind: 'resume' }
  | { readonly kind: 'assign'; readonly revision: PlannedRevision }
  | { readonly kind: 'revoke_keys' }
  | { readonly kind: 'finish_removal' }
  | { readonly kind: 'delete_project' }
  | { readonly kind: 'purge' }
  | { readonly kind: 'erase' };

const wait: Action = { kind: 'wait' };

export function planAction(state: DeploymentState): Action {
  switch (state.status) {
    case 'AWAITING_DATABASE':
    case 'READY':
      return planLife(state);
    case 'AWAITING_DELETE':
      return planRemoval(state);
    case 'DELETED':
      return planBin(state);
  }
}

/**
 * Only the newest revision is ever rolled out. A revision that was waiting when it came is skipped, even if the
 * newest has ended by now. The newest begins at once where another is still being built, since nobody can distinguish
 * a slow build from one that hangs; it waits for one that is being started.
 */
function planLife({ latest, revisions, has_project, has_key, assignment }: DeploymentState): Action {
  if (assignment.removed) return has_key ? { kind: 'resume' } : { kind: 'make_key' };
  const [oldest] = revisions.filter(isWaiting).sort((a, b) => a.number - b.number);
  if (oldest === undefined) return wait;
  if (latest !== null && oldest.number < latest.number) return { kind: 'skip', revision: oldest, by: latest };
  const newest = oldest;
  if (!has_project) return { kind: 'make_project', revision: newest };
  if (!has_key) return { kind: 'make_key' };
  if (!newest.has_source) return wait;
  const running = revisions.find((revision) => !isWaiting(revision));
  if (running === undefined) return { kind: 'assign', revision: newest };
  if (isBeingBuilt(running)) return { kind: 'skip', revision: running, by: newest };
  return newest.status === 'CREATING' ? { kind: 'queue', revision: newest, behind: running } : wait;
}

function planRemoval({ keys_revoked, assignment }: DeploymentState): Action {
  if (!keys_revoked) return { kind: 'revoke_keys' };
  return isGone(assignment) ? { kind: 'finish_removal' } : wait;
}

function planBin({ delete_project, purge_due, assignment }: DeploymentState): Action {
  if (delete_project) return { kind: 'delete_project' };
  if (!purge_due) return wait;
  if (assignment.generation === 0 || (assignment.purge && assignment.is_done)) return { kind: 'erase' };
  return assignment.purge ? wait : { kind: 'purge' };
}

/** A deployment that was never assigned runs nowhere. */
function isGone({ generation, removed, is_done }: DeploymentState['assignment']): boolean {
  return generation === 0 || (removed && is_done);
}

function isWaiting({ status }: PlannedRevision): boolean {
  return status === 'CREATING' || status === 'QUEUED';
}

function isBeingBuilt({ status }: PlannedRevision): boolean {
  return status === 'AWAITING_BUILD' || status === 'BUILDING';
}
