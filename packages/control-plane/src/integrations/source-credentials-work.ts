import type { SourceCredentials } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { findDeployment, noDeployment } from '../records/deployment-store.ts';
import { findAssignment } from '../records/assignment-store.ts';
import { credentialRowOf, type StoredCredential } from '../git-hosts/credential-rules.ts';
import { IMAGE_TOKEN_S, IMAGE_USER } from '../registry/image-tokens.ts';
import { findIntegration, type IntegrationRow } from './integration-store.ts';

/**
 * The credential by which the listener that holds the lease fetches a deployment's repository or images: only while the
 * deployment lives, and only for revisions that it has to run. Null where there is no credential. Throws `not_found`.
 */
export async function readSourceCredentials(
  context: Context,
  of: {
    readonly listener_id: string;
    readonly deployment_id: string;
    readonly revision_id?: string | undefined;
  },
): Promise<SourceCredentials | null> {
  const { db } = context;
  const deployment = await findDeployment(db, of.deployment_id);
  const assignment = await findAssignment(db, of.deployment_id);
  if (deployment === undefined || assignment?.listener_id !== of.listener_id || assignment.removed)
    throw noDeployment();
  const its = [assignment.revision_id, deployment.active_revision_id];
  if (of.revision_id !== undefined && !its.includes(of.revision_id.toLowerCase()))
    throw new Problem('not_found', 'The listener does not have to run this revision.');
  if (deployment.source === 'internal_image') {
    const { workspace_id, id: deployment_id } = deployment;
    const token = context.image_tokens.sign({ workspace_id, deployment_id, right: 'pull' }, IMAGE_TOKEN_S);
    return { kind: 'token', username: IMAGE_USER, token };
  }
  if (deployment.integration_id === null) return null;
  const integration = await findIntegration(db, deployment.integration_id);
  return integration === undefined ? null : openForUse(context, integration);
}

/** The credential in plain text, in git's format. */
async function openForUse(context: Context, integration: IntegrationRow): Promise<SourceCredentials | null> {
  const credential = openCredential(context, integration);
  if (credential?.kind !== 'github_app') return credential;
  const token = await context.app_tokens.tokenOf(integration, credential);
  return { kind: 'token', username: 'x-access-token', token };
}

export function openCredential(
  { secret_box }: Pick<Context, 'secret_box'>,
  { id, credential_sealed }: IntegrationRow,
): StoredCredential | null {
  if (credential_sealed === null) return null;
  return JSON.parse(secret_box.open(credential_sealed, credentialRowOf(id))) as StoredCredential;
}
