import type { Blobs } from '@roadstead/blobs';
import type { UnderLock } from '@roadstead/postgres';
import { keepBlob } from '../blobs/stored-blob-store.ts';
import { SERVICE_ACTOR } from '../events/event-store.ts';
import {
  advanceRevision,
  findEqualArtifact,
  type RevisionRow,
  setArtifact,
} from '../records/revision-store.ts';
import { type AssignmentRow, setDesired } from '../records/assignment-store.ts';
import { drawGeneration } from '../records/listener-store.ts';

/** Makes a revision the desired one, with an artifact where the same source was built in the same way before. */
export async function desireRevision(
  tx: UnderLock<'deployment'>,
  desired: {
    readonly workspace_id: string;
    readonly repository: string | null;
    readonly assignment: AssignmentRow;
    readonly revision: RevisionRow;
    readonly blobs: Pick<Blobs, 'has'>;
  },
): Promise<void> {
  const { workspace_id, repository, assignment, revision, blobs } = desired;
  const { listener_id, deployment_id } = assignment;
  const digest =
    revision.artifact_digest ??
    (await findEqualArtifact(tx, { workspace_id, listener_id, repository, revision }));
  // After a restored backup a record may refer to bytes that are gone: then it is built again.
  const is_kept = digest !== undefined && (await keepBlob(tx, digest)) && (await blobs.has(digest));
  const is_built = is_kept || revision.artifact_image !== null || revision.config.image_uri !== null;
  if (is_kept && digest !== revision.artifact_digest)
    await setArtifact(tx, { revision_id: revision.id, digest });
  const generation = await drawGeneration(tx, listener_id);
  await setDesired(tx, deployment_id, { generation, revision_id: revision.id, removed: false, purge: false });
  await advanceRevision(tx, {
    workspace_id,
    revision,
    to: is_built ? 'AWAITING_DEPLOY' : 'AWAITING_BUILD',
    actor: SERVICE_ACTOR,
  });
}

/** Asks the listener for the revision that served, and nothing newer; null when none ever did. */
export async function desireActive(
  tx: UnderLock<'deployment'>,
  { listener_id, deployment_id }: AssignmentRow,
  { active_revision_id }: { readonly active_revision_id: string | null },
): Promise<void> {
  const generation = await drawGeneration(tx, listener_id);
  const desired = { generation, revision_id: active_revision_id, removed: false, purge: false };
  await setDesired(tx, deployment_id, desired);
}

/** Sends the listener a change outside the revision; does nothing where it was never assigned. */
export async function desireAgain(tx: UnderLock<'deployment'>, assignment: AssignmentRow): Promise<void> {
  if (assignment.generation === 0 || assignment.removed) return;
  const generation = await drawGeneration(tx, assignment.listener_id);
  await setDesired(tx, assignment.deployment_id, { ...assignment, generation });
}

/** Asks the listener to stop and unroute a deployment, and with `purge` to drop its database. */
export async function desireRemoval(
  tx: UnderLock<'deployment'>,
  assignment: AssignmentRow,
  { purge }: { readonly purge: boolean },
): Promise<void> {
  const generation = await drawGeneration(tx, assignment.listener_id);
  await setDesired(tx, assignment.deployment_id, { generation, revision_id: null, removed: true, purge });
}
