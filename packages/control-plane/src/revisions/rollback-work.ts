import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { lockLiveDeployment } from '../records/deployment-store.ts';
import type { RowChange } from '../records/keys.ts';
import { isRunnable } from '../specs/artifact-rules.ts';
import { haveStoredDeltas, insertRevision, readRevision } from '../records/revision-store.ts';
import { unreadableBy } from './thread-format-rules.ts';

/**
 * Makes a new revision from everything of an old one, environment included; its artifact exists, so nothing is built.
 */
export async function rollBack(
  tx: Transaction,
  rollback: RowChange & {
    readonly revision_id: string;
    /** Rolls back even where the old revision cannot read what was written since. */
    readonly force: boolean;
  },
): Promise<void> {
  const { tx: held, deployment } = await lockLiveDeployment(tx, rollback);
  const old = await readRevision(tx, { deployment_id: deployment.id, id: rollback.revision_id });
  if (old.artifact_expired)
    throw new Problem(
      'invalid',
      'The artifact of this revision was removed; those of the ten newest are kept.',
    );
  if (!isRunnable(old))
    throw new Problem('invalid', 'This revision was never built, so there is nothing to go back to.');
  const deltas_were_stored = !rollback.force && (await haveStoredDeltas(tx, deployment.id));
  const unreadable = unreadableBy(old.manifest, { deltas_were_stored });
  if (unreadable !== undefined)
    throw new Problem('conflict', unreadable, {
      code: 'threads_unreadable',
      hint: 'Update @langchain/langgraph on a copy of that revision’s source and deploy it, or roll back anyway with `force=true`.',
    });
  await insertRevision(held, {
    workspace_id: rollback.workspace_id,
    deployment_id: deployment.id,
    status_reason: null,
    source: old.source,
    config: old.config,
    source_digest: old.source_digest,
    commit_sha: old.commit_sha,
    artifact_digest: old.artifact_digest,
    artifact_image: old.artifact_image,
    environment_version: old.environment_version,
    trigger: { kind: 'redeploy', actor: rollback.actor },
    rollback_of: old.id,
  });
}
