import type { DeploymentPatchRequest, Revision } from '@roadstead/contracts/control-plane';
import { type Locked, Problem, type Transaction } from '@roadstead/kit';
import type { Context } from '../context.ts';
import type { EnvironmentChange } from '../environments/environment-rules.ts';
import { insertEnvironment } from '../environments/environment-store.ts';
import {
  awaitingReason,
  deriveRevision,
  foreignTarball,
  type RevisionConfig,
} from '../revisions/revision-rules.ts';
import { insertRevision } from '../revisions/revision-store.ts';
import { findUpload } from '../uploads/upload-store.ts';
import { answerOf } from './deployment-answer.ts';
import { type HeldDeployment, lockLiveDeployment, setSourceConfig } from './deployment-store.ts';
import { type DeploymentView, readDeploymentView } from './deployment-view-store.ts';

/** Changes of a deployment's intended state: each in one transaction, under the deployment's lock. */

interface At {
  readonly workspace_id: string;
  readonly id: string;
  readonly actor: string;
}

/** Throws what the rules refuse. `check` sees the present version first. */
export async function changeDeployment(
  tx: Transaction,
  context: Context,
  change: At & {
    readonly patch: DeploymentPatchRequest;
    readonly check: (version: number) => void;
  },
): Promise<void> {
  const { tx: held, deployment, view } = await lockWithView(tx, change);
  change.check(deployment.version);
  const { name, source, source_config, config, secret_names } = view;
  const { url } = answerOf(view, context.agent_url);
  const derived = deriveRevision({ name, source, source_config, config, secret_names, url }, change.patch);
  if (JSON.stringify(derived.source_config) !== JSON.stringify(source_config))
    await setSourceConfig(held, deployment.id, derived.source_config);
  if (derived.revision === undefined) return;
  const next = {
    config: derived.revision,
    environment: derived.environment,
    kind: 'patch',
    actor: change.actor,
  } as const;
  await insertNext(held, context, {
    ...next,
    view,
    source_digest: await readSourceDigest(tx, view, change.patch),
  });
}

/** Throws `not_found` when there is no such secret. */
export async function removeSecret(
  tx: Transaction,
  context: Context,
  { name, ...at }: At & { readonly name: string },
): Promise<void> {
  const { tx: held, view } = await lockWithView(tx, at);
  if (!view.secret_names.includes(name))
    throw new Problem('not_found', 'The deployment has no secret of that name.');
  const names = view.secret_names.filter((one) => one !== name);
  await insertNext(held, context, {
    view,
    config: view.config,
    source_digest: view.source_digest,
    environment: { names, keep: names, set: [] },
    kind: 'secret',
    actor: at.actor,
  });
}

async function lockWithView(
  tx: Transaction,
  at: At,
): Promise<HeldDeployment & { readonly view: DeploymentView }> {
  const held = await lockLiveDeployment(tx, at);
  return { ...held, view: await readDeploymentView(tx, at) };
}

/** The archive that a patch names, which must have come whole; without one the latest revision's. */
async function readSourceDigest(
  tx: Transaction,
  view: DeploymentView,
  patch: DeploymentPatchRequest,
): Promise<string | null> {
  const object_path = patch.source_revision_config?.source_tarball_path ?? null;
  if (object_path === null) return view.source_digest;
  const upload = await findUpload(tx, { object_path, deployment_id: view.id });
  if (upload === undefined) throw foreignTarball();
  if (upload.digest === null)
    throw new Problem(
      'invalid',
      'The archive of source_revision_config.source_tarball_path was not uploaded yet.',
      {
        hint: 'PUT it to the upload_url first.',
      },
    );
  return upload.digest;
}

async function insertNext(
  tx: Locked<'deployment'>,
  context: Context,
  next: {
    readonly view: DeploymentView;
    readonly config: RevisionConfig;
    readonly source_digest: string | null;
    readonly environment: EnvironmentChange | undefined;
    readonly kind: Revision['trigger']['kind'];
    readonly actor: string;
  },
): Promise<void> {
  const { view } = next;
  const environment_version =
    next.environment === undefined
      ? view.environment_version
      : await insertEnvironment(tx, context.secret_box, {
          deployment_id: view.id,
          base: view.environment_version,
          change: next.environment,
        });
  await insertRevision(tx, {
    workspace_id: view.workspace_id,
    deployment_id: view.id,
    status_reason: awaitingReason({
      deployment_id: view.id,
      source: view.source,
      source_digest: next.source_digest,
      config: next.config,
    }),
    source: view.source,
    config: next.config,
    source_digest: next.source_digest,
    artifact_digest: null,
    artifact_image: null,
    environment_version,
    trigger: { kind: next.kind, actor: next.actor },
    rollback_of: null,
  });
}
