import { isTerminal } from '@roadstead/contracts';
import {
  type Observation,
  revisionFlow,
  type RevisionStatus,
  type StatusReason,
} from '@roadstead/contracts/control-plane';
import { isDigest } from '@roadstead/blobs';
import { Problem } from '@roadstead/kit';
import type { UnderLock, Transaction } from '@roadstead/postgres';
import { keepBlob } from '../blobs/stored-blob-store.ts';
import {
  advanceDeployment,
  type DeploymentRow,
  lockDeployment,
  noDeployment,
  setActiveRevision,
} from '../records/deployment-store.ts';
import { insertEvent } from '../events/event-store.ts';
import { setCommit, setHead } from '../records/head-store.ts';
import { boundedReason, failureReason, recordPhase, statusPath } from '../records/observation-rules.ts';
import {
  advanceRevision,
  findRevision,
  readNow,
  recordProgress,
  type RevisionMove,
  type RevisionRow,
  setReason,
} from '../records/revision-store.ts';
import { type AssignmentRow, findAssignment, setObserved } from '../records/assignment-store.ts';
import { lockHolder } from '../records/instance-store.ts';

interface Report {
  readonly listener_id: string;
  readonly deployment_id: string;
  readonly observation: Observation;
  readonly actor: string;
}

interface KnownReport {
  readonly deployment: DeploymentRow;
  readonly assignment: AssignmentRow;
  readonly observation: Observation;
  readonly actor: string;
}

/**
 * Records what a listener observes: moves statuses, and is alone in moving what is active. A repeated or late report
 * changes nothing. Answers the generation that is desired by now. Throws `conflict` for the report of an earlier
 * holder.
 */
export async function recordObservation(tx: Transaction, report: Report): Promise<number> {
  const { listener_id, deployment_id, observation, actor } = report;
  const held = await lockDeployment(tx, deployment_id);
  const assignment = await findAssignment(tx, deployment_id);
  if (held === undefined || assignment?.listener_id !== listener_id) throw noDeployment();
  const { deployment } = held;
  // After the deployment's lock: everybody takes them in this order.
  const locked = await lockHolder(held.tx, { listener_id, deployment_id, fence: observation.fence });
  if (observation.generation > assignment.generation)
    throw new Problem('invalid', 'The observation is of a generation that was never given to this listener.');
  await recordCommit(held.tx, deployment, observation);
  if (observation.generation < assignment.generation || observation.fence < assignment.observed_fence)
    return assignment.generation;
  const known = { deployment, assignment, observation, actor };
  await setObserved(locked, deployment_id, observation);
  if (assignment.removed) return assignment.generation;
  if (observation.database_ready && deployment.status === 'AWAITING_DATABASE')
    await advanceDeployment(held.tx, { deployment, to: 'READY', actor });
  if (observation.revision_id === assignment.revision_id) await moveRevision(held.tx, known);
  await reportTrouble(tx, known);
  return assignment.generation;
}

/**
 * Keeps the commit that a listener resolved a revision's ref to, whatever generation it worked for. Idempotent: only
 * the first commit reported for a revision is kept.
 */
async function recordCommit(
  tx: UnderLock<'deployment'>,
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

/** Moves the desired revision, unless it has ended. */
async function moveRevision(
  tx: UnderLock<'deployment'>,
  { deployment, assignment, observation, actor }: KnownReport,
): Promise<void> {
  const id = assignment.revision_id ?? '';
  const before = await findRevision(tx, { deployment_id: deployment.id, id });
  if (before === undefined || isTerminal(revisionFlow, before.status)) return;
  const { artifact, manifest } = observation;
  if (artifact?.kind === 'folder' && artifact.digest !== before.artifact_digest)
    await checkArtifact(tx, artifact.digest);
  const phases = recordPhase(before.phases, observation, {
    now: await readNow(tx),
    is_new_holder: observation.fence > assignment.observed_fence,
  });
  const revision = await recordProgress(tx, id, { phases, artifact, manifest });
  const path = statusPath(revision.status, observation);
  const reason = observation.outcome === 'failed' ? failureReason(observation) : null;
  const moved = await walk(tx, { workspace_id: deployment.workspace_id, revision, path, reason, actor });
  if (observation.outcome === 'running')
    await setReason(tx, {
      revision: moved,
      reason: observation.reason === null ? null : boundedReason(observation.reason),
    });
  if (path.at(-1) === 'DEPLOYED') await setActiveRevision(tx, { id: deployment.id, revision_id: id });
}

async function walk(
  tx: UnderLock<'deployment'>,
  way: Pick<RevisionMove, 'workspace_id' | 'actor' | 'revision'> & {
    readonly path: readonly RevisionStatus[];
    readonly reason: StatusReason | null;
  },
): Promise<RevisionRow> {
  const { workspace_id, path, reason, actor } = way;
  let { revision } = way;
  for (const to of path) {
    const isLast = to === path.at(-1);
    const moved = await advanceRevision(tx, {
      workspace_id,
      revision,
      to,
      actor,
      reason: isLast ? reason : null,
    });
    // The deployment's lock keeps everybody else away from its revisions.
    if (moved === undefined)
      throw new Error(`The status of revision ${revision.id} was changed without the lock.`);
    revision = moved;
  }
  return revision;
}

/** An artifact counts only when its bytes were received here: later revisions start from it. */
async function checkArtifact(tx: Transaction, digest: string): Promise<void> {
  if (!isDigest(digest) || !(await keepBlob(tx, digest)))
    throw new Problem(
      'invalid',
      'artifact.digest is not the digest of an artifact that was uploaded to the signed address.',
    );
}

/** Reports a problem of what serves, or that it can't be restored: not as a status but as an event, inserted once. */
async function reportTrouble(
  tx: Transaction,
  { deployment, assignment, observation, actor }: KnownReport,
): Promise<void> {
  const before = assignment.observed;
  const isLost =
    observation.outcome === 'failed' && observation.revision_id === deployment.active_revision_id;
  const wasLost = before?.outcome === 'failed' && before.revision_id === observation.revision_id;
  const trouble = observation.trouble ?? (isLost && !wasLost ? failureReason(observation) : null);
  if (trouble === null || (trouble.code === before?.trouble?.code && !isLost)) return;
  const { phase, code, message } = boundedReason(trouble);
  await insertEvent(tx, {
    workspace_id: deployment.workspace_id,
    kind: 'deployment.trouble',
    deployment_id: deployment.id,
    revision_id: deployment.active_revision_id,
    actor,
    detail: { phase, code, message },
  });
}
