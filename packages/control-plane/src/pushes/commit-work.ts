import { isTerminal } from '@roadstead/contracts';
import { type Observation, revisionFlow } from '@roadstead/contracts/control-plane';
import type { Locked } from '@roadstead/kit';
import type { DeploymentRow } from '../deployments/deployment-store.ts';
import { findRevision } from '../revisions/revision-store.ts';
import { setCommit, setHead } from './head-store.ts';

/**
 * Keeps what a listener found a revision's ref to be, whatever generation it worked for. Said again it changes nothing,
 * whatever is said.
 */
export async function recordCommit(
  tx: Locked<'deployment'>,
  deployment: Pick<DeploymentRow, 'id' | 'latest_revision_id'>,
  { revision_id, commit_sha }: Pick<Observation, 'revision_id' | 'commit_sha'>,
): Promise<void> {
  if (commit_sha == null || revision_id === null) return;
  const revision = await findRevision(tx, { deployment_id: deployment.id, id: revision_id });
  if (revision?.source !== 'git' || isTerminal(revisionFlow, revision.status)) return;
  const isNew = await setCommit(tx, { revision_id: revision.id, commit_sha });
  if (isNew && revision.id === deployment.latest_revision_id)
    await setHead(tx, { deployment_id: deployment.id, commit_sha });
}
