import type { Revision } from '@roadstead/contracts/control-plane';
import type { UnderLock } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import type { DeploymentView } from '../records/deployment-view-store.ts';
import type { EnvironmentChange } from '../environments/environment-rules.ts';
import { insertEnvironment } from '../environments/environment-store.ts';
import { awaitingReason, type RevisionConfig } from '../specs/revision-rules.ts';
import { insertRevision, type RevisionRow } from '../records/revision-store.ts';

/** Makes a revision after the latest one, from which it takes everything that is not given. */
export async function insertNext(
  tx: UnderLock<'deployment'>,
  context: Context,
  next: {
    readonly view: DeploymentView;
    readonly config: RevisionConfig;
    readonly source_digest: string | null;
    /** Null: the ref is resolved again. */
    readonly commit_sha: string | null;
    /** Undefined: the environment of the latest revision. */
    readonly environment: EnvironmentChange | undefined;
    readonly trigger: Revision['trigger'];
  },
): Promise<RevisionRow> {
  const { view, config, source_digest, commit_sha, trigger } = next;
  const { id: deployment_id, workspace_id, source } = view;
  const environment_version =
    next.environment === undefined
      ? view.environment_version
      : await insertEnvironment(tx, context.secret_box, {
          deployment_id,
          base: view.environment_version,
          change: next.environment,
        });
  return insertRevision(tx, {
    workspace_id,
    deployment_id,
    status_reason: awaitingReason({ deployment_id, source, source_digest, config }),
    source,
    config,
    source_digest,
    commit_sha,
    artifact_digest: null,
    artifact_image: null,
    environment_version,
    trigger,
    rollback_of: null,
  });
}
