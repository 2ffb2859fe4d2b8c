import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { findDeployment, keyRowOf, noDeployment } from '../records/deployment-store.ts';
import { composeEnvironment } from '../environments/environment-rules.ts';
import { openEnvironment } from '../environments/environment-store.ts';
import { findRevision } from '../records/revision-store.ts';
import { findAssignment } from '../records/assignment-store.ts';

/**
 * The environment of a revision in plain text, for the listener that holds the lease: only of revisions that it has
 * to run, and only while the deployment lives. Throws `not_found`.
 */
export async function readEnvironment(
  context: Context,
  of: { readonly listener_id: string; readonly deployment_id: string; readonly revision_id: string },
) {
  const { db, secret_box, public_url } = context;
  const { deployment_id, revision_id } = of;
  const deployment = await findDeployment(db, deployment_id);
  const assignment = await findAssignment(db, deployment_id);
  if (deployment === undefined || assignment?.listener_id !== of.listener_id || assignment.removed)
    throw noDeployment();
  const isAssigned = [assignment.revision_id, deployment.active_revision_id].includes(
    revision_id.toLowerCase(),
  );
  const revision = isAssigned ? await findRevision(db, { deployment_id, id: revision_id }) : undefined;
  if (revision === undefined || deployment.key_sealed === null)
    throw new Problem('not_found', 'The listener does not have to run this revision.');
  const version = revision.environment_version;
  const secrets = version === 0 ? {} : await openEnvironment(db, secret_box, { deployment_id, version });
  const variables = composeEnvironment(secrets, {
    endpoint: `${public_url}/api`,
    control_plane: public_url,
    api_key: secret_box.open(deployment.key_sealed, keyRowOf(deployment_id)),
    project: deployment.name,
    workspace_id: deployment.workspace_id,
  });
  return { version, variables };
}
