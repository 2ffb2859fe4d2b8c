import type { DeploymentPatchRequest } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { findAssignment } from '../records/assignment-store.ts';
import { desireAgain } from '../listeners/desired-work.ts';
import { pinImage, refuseOwnImage, refuseOwnSidecars } from '../registry/revision-image-work.ts';
import { setHead } from '../records/head-store.ts';
import { readComputeType } from '../records/listener-store.ts';
import { insertNext } from './next-revision-work.ts';
import { checkForCompute } from '../specs/machine-rules.ts';
import { deriveRevision, foreignTarball, type RevisionConfig } from '../specs/revision-rules.ts';
import { findUpload } from '../uploads/upload-store.ts';
import { answerOf } from './deployment-answer.ts';
import {
  type HeldDeployment,
  lockLiveDeployment,
  setDisplayName,
  setSourceConfig,
} from '../records/deployment-store.ts';
import { type DeploymentView, readDeploymentView } from '../records/deployment-view-store.ts';
import type { RowChange } from '../records/keys.ts';

/** Changes a deployment's intended state: each change in one transaction, under the deployment's lock. */

interface Change extends RowChange {
  /** Called with the current version first. */
  readonly check: (version: number) => void;
}

/** Throws what the rules refuse. A change by `api` makes a revision even when nothing triggers one. */
export async function changeDeployment(
  tx: Transaction,
  context: Context,
  change: Change & {
    readonly patch: DeploymentPatchRequest;
    readonly kind: 'patch' | 'api';
    /** The digest of the revision's source, where one was stored for it. */
    readonly source_digest?: string | undefined;
  },
): Promise<void> {
  const { tx: held, deployment, view } = await lockWithView(tx, change);
  change.check(deployment.version);
  const { source_config, config } = view;
  const current = { ...view, url: answerOf(view, context.agent_url).url };
  const derived = deriveRevision(current, change.patch, { always: change.kind === 'api' });
  const { source_config: patched, secret_references } = change.patch;
  if (patched?.resource_spec || secret_references)
    checkForCompute(await readComputeType(tx, deployment.id), {
      resource_spec: patched?.resource_spec,
      secret_references,
    });
  if (JSON.stringify(derived.source_config) !== JSON.stringify(source_config))
    await setSourceConfig(held, deployment.id, derived.source_config);
  const { display_name } = change.patch;
  if (display_name != null && display_name !== view.display_name)
    await setDisplayName(held, { id: deployment.id, display_name });
  const { revision, environment } = derived;
  const isToldAnew = (['build_on_push', 'custom_url', 'listener_config'] as const).some(
    (field) => JSON.stringify(derived.source_config[field]) !== JSON.stringify(source_config[field]),
  );
  const assignment = isToldAnew ? await findAssignment(tx, deployment.id) : undefined;
  if (assignment !== undefined) await desireAgain(held, assignment);
  if (revision === undefined) return;
  // A revision requested for itself is of the commit that the ref has by now.
  const asks_ref = change.kind === 'api' || (change.patch.source_revision_config?.repo_ref ?? null) !== null;
  // Another ref has another head.
  if (revision.repo_ref !== config.repo_ref)
    await setHead(held, { deployment_id: deployment.id, commit_sha: null });
  await insertNext(held, context, {
    view,
    config: await withPinned(tx, context, { view, revision, patch: change.patch }),
    source_digest: change.source_digest ?? (await readSourceDigest(tx, view, change.patch)),
    commit_sha: asks_ref ? null : view.commit_sha,
    environment,
    trigger: { kind: change.kind, actor: change.actor },
  });
}

/** The configuration with the image that a patch names by its digest, where it was pushed. */
async function withPinned(
  tx: Transaction,
  context: Context,
  {
    view,
    revision,
    patch,
  }: {
    readonly view: DeploymentView;
    readonly revision: RevisionConfig;
    readonly patch: DeploymentPatchRequest;
  },
): Promise<RevisionConfig> {
  refuseOwnSidecars(context, patch.source_config?.resource_spec);
  const image_uri = patch.source_revision_config?.image_uri ?? null;
  if (image_uri === null) return revision;
  if (view.source === 'external_image') refuseOwnImage(context, { image_uri });
  if (view.source !== 'internal_image') return revision;
  const at = { workspace_id: view.workspace_id, deployment_id: view.id };
  return { ...revision, image_uri: await pinImage(tx, context, { ...at, image_uri }) };
}

/** Throws `not_found` when there is no such secret. */
export async function removeSecret(
  tx: Transaction,
  context: Context,
  { name, check, ...at }: Change & { readonly name: string },
): Promise<void> {
  const { tx: held, view } = await lockWithView(tx, at);
  check(view.version);
  if (!view.secret_names.includes(name))
    throw new Problem('not_found', 'The deployment has no secret of that name.');
  const names = view.secret_names.filter((one) => one !== name);
  await insertNext(held, context, {
    view,
    config: view.config,
    source_digest: view.source_digest,
    commit_sha: view.commit_sha,
    environment: { names, keep: names, set: [] },
    trigger: { kind: 'secret', actor: at.actor },
  });
}

async function lockWithView(
  tx: Transaction,
  at: RowChange,
): Promise<HeldDeployment & { readonly view: DeploymentView }> {
  const held = await lockLiveDeployment(tx, at);
  return { ...held, view: await readDeploymentView(tx, at) };
}

/** The archive that a patch names, which must be complete; without one the latest revision's. */
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
