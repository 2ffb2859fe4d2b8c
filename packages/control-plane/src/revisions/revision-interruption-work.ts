import { isTerminal } from '@roadstead/contracts';
import { revisionFlow } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { lockLiveDeployment } from '../records/deployment-store.ts';
import type { RowChange } from '../records/keys.ts';
import { findAssignment } from '../records/assignment-store.ts';
import { desireActive } from '../listeners/desired-work.ts';
import { advanceRevision, readRevision, type RevisionRow } from '../records/revision-store.ts';

/**
 * Ends a revision that has not ended; its listener is sent back to the revision that served. Repeating it changes
 * nothing. Throws `conflict` for a revision that has ended otherwise.
 */
export async function interruptRevision(
  tx: Transaction,
  interruption: RowChange & { readonly revision_id: string },
): Promise<{ readonly revision: RevisionRow; readonly listener_id: string | undefined }> {
  const { workspace_id, actor } = interruption;
  const { tx: held, deployment } = await lockLiveDeployment(tx, interruption);
  const revision = await readRevision(tx, { deployment_id: deployment.id, id: interruption.revision_id });
  if (revision.status === 'INTERRUPTED') return { revision, listener_id: undefined };
  if (isTerminal(revisionFlow, revision.status))
    throw new Problem(
      'conflict',
      `Revision ${revision.number} has ended as ${revision.status}, so there is nothing to interrupt.`,
    );
  const phase = revision.phases.at(-1)?.phase ?? 'queue';
  const interrupted = await advanceRevision(held, {
    workspace_id,
    revision,
    to: 'INTERRUPTED',
    actor,
    reason: { phase, code: 'interrupted', message: 'It was interrupted by a caller.' },
  });
  if (interrupted === undefined)
    throw new Error(`The status of revision ${revision.id} was changed without the lock.`);
  const assignment = await findAssignment(tx, deployment.id);
  if (assignment?.revision_id !== revision.id) return { revision: interrupted, listener_id: undefined };
  await desireActive(held, assignment, deployment);
  return { revision: interrupted, listener_id: assignment.listener_id };
}
