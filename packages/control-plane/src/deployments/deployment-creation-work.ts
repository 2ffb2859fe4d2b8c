import { randomBytes } from 'node:crypto';
import {
  type DeploymentCreateRequest,
  sourceOf,
  type SourceConfig,
} from '@roadstead/contracts/control-plane';
import { Problem, uuidv7 } from '@roadstead/kit';
import { isUniqueViolation, type Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { insertEnvironment } from '../environments/environment-store.ts';
import { once, type RepeatableCall } from '../requests/idempotency-store.ts';
import { chooseListener, namespaceFor } from '../specs/listener-choice-rules.ts';
import { checkForCompute } from '../specs/machine-rules.ts';
import { listCandidates } from '../records/listener-store.ts';
import { awaitingReason, deriveFirst } from '../specs/revision-rules.ts';
import { insertRevision } from '../records/revision-store.ts';
import { checkFirstImage, refuseOwnSidecars } from '../registry/revision-image-work.ts';
import { receiveTemplate } from '../templates/template-receipt-work.ts';
import { showDeployment, type VersionedDeployment } from './deployment-answer.ts';
import { insertDeployment, isSlugTaken } from '../records/deployment-store.ts';
import type { WorkspaceActor } from '../records/keys.ts';
import { checkRemoteOf } from '../git-hosts/credential-rules.ts';
import { holdIntegration } from '../integrations/integration-store.ts';
import { readRemote, repositoryOf } from '../git-hosts/remote-rules.ts';

const SLUG_ATTEMPTS = 3;

interface Creation extends WorkspaceActor {
  readonly request: DeploymentCreateRequest;
  readonly repeat: RepeatableCall;
}

/**
 * Creates a deployment and its first revision. Throws what the rules refuse, and `conflict` when the name is taken.
 */
export async function createDeployment(context: Context, creation: Creation): Promise<VersionedDeployment> {
  const { source, source_config } = creation.request;
  const source_digest =
    source === 'internal_template' ? await receiveTemplate(context, source_config.template_id) : null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await context.db.transaction((tx) =>
        once(tx, {
          ...creation.repeat,
          work: () => insertFirst(tx, context, { ...creation, source_digest }),
        }),
      );
    } catch (error) {
      if (isUniqueViolation(error, 'deployments_name'))
        throw new Problem(
          'conflict',
          `The workspace has a deployment named ${creation.request.name} already.`,
          {
            cause: error,
          },
        );
      // Somebody took the same slug between the lookup and the insert.
      if (!isUniqueViolation(error, 'deployments_slug') || attempt === SLUG_ATTEMPTS) throw error;
    }
  }
}

async function insertFirst(
  tx: Transaction,
  context: Context,
  { workspace_id, request, actor, source_digest }: Creation & { readonly source_digest: string | null },
): Promise<VersionedDeployment> {
  const { name, display_name = null, source: source_name } = request;
  const source = sourceOf(source_name);
  const ours = { ...request, source };
  const { source_config, revision, environment } = deriveFirst(ours);
  checkFirstImage(context, { source, image_uri: revision.image_uri });
  refuseOwnSidecars(context, ours.source_config.resource_spec);
  const id = uuidv7();
  const slug = (await isSlugTaken(tx, name)) ? `${name}-${randomBytes(3).toString('hex')}` : name;
  const listener = chooseListener(ours, await listCandidates(tx, workspace_id));
  checkForCompute(listener.compute_type, {
    ...ours.source_config,
    secret_references: ours.secret_references,
  });
  const repository = await readRepository(tx, workspace_id, source_config);
  const fresh = {
    id,
    workspace_id,
    name,
    slug,
    display_name,
    source,
    source_name,
    source_config,
    repository,
  };
  const place = { listener_id: listener.id, namespace: namespaceFor(listener, ours.source_config) };
  const held = await insertDeployment(tx, { ...fresh, ...place, actor });
  const environment_version =
    environment === undefined
      ? 0
      : await insertEnvironment(held, context.secret_box, {
          deployment_id: id,
          base: 0,
          change: environment,
        });
  await insertRevision(held, {
    workspace_id,
    deployment_id: id,
    status_reason: awaitingReason({ deployment_id: id, source, source_digest, config: revision }),
    source,
    config: revision,
    source_digest,
    commit_sha: null,
    artifact_digest: null,
    artifact_image: null,
    environment_version,
    trigger: { kind: 'create', actor },
    rollback_of: null,
  });
  return showDeployment(context, tx, { workspace_id, id });
}

/**
 * The repository of a new deployment, in the form in which addresses are compared; null without one. Throws `invalid`
 * for an integration that the workspace doesn't have, or that is for another host.
 */
async function readRepository(
  tx: Transaction,
  workspace_id: string,
  { repo_url, integration_id }: Pick<SourceConfig, 'repo_url' | 'integration_id'>,
): Promise<string | null> {
  if (repo_url === null || repo_url === undefined) return null;
  const remote = readRemote(repo_url);
  if (integration_id !== null && integration_id !== undefined) {
    const integration = await holdIntegration(tx, { workspace_id, id: integration_id });
    if (integration === undefined)
      throw new Problem('invalid', 'source_config.integration_id names no integration of this workspace.', {
        hint: 'GET /v2/integrations lists them.',
      });
    checkRemoteOf(integration, remote);
  }
  return repositoryOf(remote);
}
