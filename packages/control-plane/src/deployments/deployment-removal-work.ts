import type { RevisionStatus } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { findAssignment } from '../records/assignment-store.ts';
import { desireRemoval } from '../listeners/desired-work.ts';
import { advanceRevision, listOpenRevisions } from '../records/revision-store.ts';
import {
  advanceDeployment,
  type HeldDeployment,
  lockDeployment,
  noDeployment,
  requestRemoval,
} from '../records/deployment-store.ts';
import type { RowChange } from '../records/keys.ts';

interface Removal extends RowChange {
  readonly delete_tracing_project: boolean;
  /** Removes it from the bin at once. */
  readonly force: boolean;
  /** Called with the current version first. */
  readonly check?: (version: number) => void;
}

/**
 * Stops what runs. A repeated call only adds to what was requested. Throws `not_found`; in the bin only `force` finds
 * it.
 */
export async function deleteDeployment(context: Context, removal: Removal): Promise<void> {
  const listener_id = await context.db.transaction((tx) => remove(tx, removal));
  if (listener_id !== undefined) context.notifier.notify(listener_id);
  context.wake(removal.id);
}

/** Deletes them one after the other, each by itself; answers which existed. */
export async function deleteDeployments(
  context: Context,
  { ids, ...removal }: Omit<Removal, 'id' | 'check'> & { readonly ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  const deleted = new Set<string>();
  for (const id of ids) {
    const isThere = await deleteDeployment(context, { ...removal, id }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Problem && error.kind === 'not_found') return false;
        throw error;
      },
    );
    if (isThere) deleted.add(id);
  }
  return deleted;
}

async function remove(tx: Transaction, removal: Removal): Promise<string | undefined> {
  const held = await lockDeployment(tx, removal.id);
  if (held === undefined || held.deployment.workspace_id !== removal.workspace_id) throw noDeployment();
  const { deployment } = held;
  if (deployment.status === 'DELETED' && !removal.force) throw noDeployment();
  removal.check?.(deployment.version);
  await requestRemoval(held.tx, deployment.id, removal);
  if (deployment.status === 'DELETED' || deployment.status === 'AWAITING_DELETE') return undefined;
  await endRevisions(held, removal.actor);
  await advanceDeployment(held.tx, { deployment, to: 'AWAITING_DELETE', actor: removal.actor });
  const assignment = await findAssignment(tx, deployment.id);
  if (assignment === undefined || assignment.generation === 0) return undefined;
  await desireRemoval(held.tx, assignment, { purge: false });
  return assignment.listener_id;
}

/** Revisions that haven't begun are skipped; those under way are interrupted. */
async function endRevisions({ tx, deployment }: HeldDeployment, actor: string): Promise<void> {
  const unbegun: readonly RevisionStatus[] = ['CREATING', 'QUEUED'];
  for (const revision of await listOpenRevisions(tx, deployment.id)) {
    await advanceRevision(tx, {
      workspace_id: deployment.workspace_id,
      revision,
      to: unbegun.includes(revision.status) ? 'SKIPPED' : 'INTERRUPTED',
      actor,
      reason: { phase: 'queue', code: 'deleted', message: 'The deployment was deleted.' },
    });
  }
}
