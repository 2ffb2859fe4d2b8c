import { isTerminal } from '@roadstead/contracts';
import {
  type AssignedArtifact,
  type AssignedRevision,
  type AssignedSource,
  type Assignment,
  revisionFlow,
} from '@roadstead/contracts/control-plane';
import type { Queryable } from '@roadstead/postgres';
import type { BlobClaims, Context } from '../context/context.ts';
import { effectiveResources } from '../specs/effective-resources-rules.ts';
import { DEFAULT_REF } from '../git-hosts/remote-rules.ts';
import { type WatchCandidate, watchOf } from '../git-hosts/watch-rules.ts';
import { imageForListener } from '../registry/revision-image-work.ts';
import { artifactOf } from '../specs/artifact-rules.ts';
import { type DesiredRevision, type DesiredRow, listDesired } from '../records/assignment-store.ts';

/** Longer than any build may take; a listener that restarts gets fresh addresses. */
const ADDRESS_LIFETIME_S = 12 * 3600;

/** The poll of an instance that holds its lease. */
export interface LeasedPoll {
  readonly listener_id: string;
  readonly instance: string;
  /** The generation up to which the instance knows everything. */
  readonly since: number;
}

/** The whole desired state of every deployment of the instance whose generation grew after `since`. */
export async function listAssignments(
  context: Context,
  db: Queryable,
  at: LeasedPoll,
): Promise<Assignment[]> {
  const rows = await listDesired(db, at);
  return rows.map((row) => assignmentOf(context, row));
}

function assignmentOf(context: Context, row: DesiredRow): Assignment {
  const { wanted, active } = row;
  const isToReach = wanted !== null && !isTerminal(revisionFlow, wanted.status);
  return {
    deployment_id: row.deployment_id,
    workspace_id: row.workspace_id,
    name: row.name,
    slug: row.slug,
    namespace: row.namespace,
    is_default_namespace: row.is_default_namespace,
    custom_url: row.custom_url,
    watch: row.removed ? null : watchOf(row.watched, context.git_poll_s),
    generation: row.generation,
    // An instance that prepares may report nothing of the deployment yet.
    fence: row.hold === 'prepare' ? 0 : row.fence,
    hold: row.hold,
    sealing_keys: context.secret_box.keysFor(`deployment:${row.deployment_id}`),
    revision: isToReach && !row.removed ? assignedRevision(context, wanted, row) : null,
    active: active !== null && !row.removed ? assignedRevision(context, active, row) : null,
    removed: row.removed,
    purge: row.purge,
  };
}

function assignedRevision(
  context: Context,
  row: DesiredRevision,
  of: Pick<DesiredRow, 'watched' | 'workspace_id' | 'deployment_id'>,
): AssignedRevision {
  const { langgraph_config_path, install_command, build_command, resource_spec, secret_references } =
    row.config;
  const artifact = assignedArtifact(context, row, of);
  return {
    id: row.id,
    number: row.number,
    source: artifact === null ? assignedSource(context, row, of) : null,
    artifact,
    config: { langgraph_config_path, install_command, build_command },
    resources: resource_spec == null ? null : effectiveResources(resource_spec),
    secret_references: [...(secret_references ?? [])],
    environment_version: row.environment_version,
    manifest: artifact === null ? null : row.manifest,
  };
}

function assignedArtifact(
  context: Context,
  row: DesiredRevision,
  of: Pick<DesiredRow, 'workspace_id' | 'deployment_id'>,
): AssignedArtifact | null {
  const artifact = artifactOf(row);
  if (artifact === null) return null;
  if (artifact.kind === 'image') return { kind: 'image', ...imageOf(context, { row, of, ...artifact }) };
  return { ...artifact, url: sign(context, { method: 'GET', digest: artifact.digest }) };
}

function assignedSource(
  context: Context,
  row: DesiredRevision,
  of: Pick<DesiredRow, 'watched' | 'workspace_id' | 'deployment_id'>,
): AssignedSource | null {
  const { repo_url, has_credentials }: WatchCandidate = of.watched;
  const { id, config, source_digest, commit_sha } = row;
  const artifact_put_url = sign(context, { method: 'PUT', revision_id: id });
  if (repo_url !== null)
    return {
      kind: 'git',
      repo_url,
      ref: config.repo_ref ?? DEFAULT_REF,
      commit_sha,
      has_credentials,
      artifact_put_url,
    };
  if (config.image_uri !== null)
    return { kind: 'image', ...imageOf(context, { row, of, image_uri: config.image_uri }) };
  if (source_digest === null) return null;
  return {
    kind: 'archive',
    url: sign(context, { method: 'GET', digest: source_digest }),
    digest: source_digest,
    artifact_put_url,
  };
}

function imageOf(
  context: Context,
  {
    row: { source },
    of: { workspace_id, deployment_id },
    image_uri,
  }: {
    readonly row: DesiredRevision;
    readonly of: Pick<DesiredRow, 'workspace_id' | 'deployment_id'>;
    readonly image_uri: string;
  },
) {
  return imageForListener(context, { workspace_id, deployment_id, image_uri, source });
}

function sign({ public_url, blob_addresses }: Context, claims: BlobClaims): string {
  return `${public_url}/v2/blobs/${blob_addresses.sign(claims, ADDRESS_LIFETIME_S)}`;
}
