import type { AssignedRevision, Assignment, Observation, Watch } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/** A repository that a test serves. */
export type FakeRepository = Pick<Watch, 'repo_url' | 'ref' | 'has_credentials'>;

/** A revision that a test asks for; its source is kept as a blob, or in a repository. */
export interface FakeRevision {
  readonly id: string;
  readonly source_digest: string;
  readonly repository: FakeRepository | undefined;
  /** The name of its image, in place of a source that is built. */
  readonly image_uri?: string | undefined;
  /** Whether that is of the platform's own registry. */
  readonly is_ours?: boolean | undefined;
  artifact_image?: string | undefined;
  /** The commit that the listener resolved its ref to. */
  commit_sha: string | null;
  readonly config: AssignedRevision['config'];
  readonly resources?: AssignedRevision['resources'];
  artifact_digest: string | null;
}

export interface FakeDeployment {
  readonly id: string;
  readonly slug: string;
  readonly workspace_id: string;
  custom_url: string | null;
  generation: number;
  revision: FakeRevision | undefined;
  active: FakeRevision | undefined;
  watch: Watch | null;
  removed: boolean;
  purge: boolean;
  /** What this instance does with it; `away`, another one has it. */
  readonly hold?: NonNullable<Assignment['hold']> | 'away';
  /** The last generation whose removal was reported. */
  removed_told: number;
}

/** Records what a listener reports. An end is final: later reports about a revision change nothing. */
export function applyObservation(
  deployment: FakeDeployment,
  seen: Observation,
  { blobs }: { readonly blobs: ReadonlyMap<string, Buffer> },
): void {
  if (deployment.removed) {
    if (seen.outcome === 'done') deployment.removed_told = seen.generation;
    return;
  }
  const { revision } = deployment;
  if (revision === undefined || seen.revision_id !== revision.id) return;
  revision.commit_sha ??= seen.commit_sha ?? null;
  const digest = seen.artifact?.kind === 'folder' ? seen.artifact.digest : null;
  if (digest !== null && !blobs.has(digest))
    throw new Problem(
      'invalid',
      'artifact.digest is not the digest of an artifact that was uploaded to the signed address.',
    );
  revision.artifact_digest = digest ?? revision.artifact_digest;
  if (seen.artifact?.kind === 'image') revision.artifact_image = seen.artifact.image_uri;
  const isEnd = seen.outcome === 'failed' || (seen.outcome === 'done' && seen.phase === 'switch');
  if (!isEnd) return;
  if (seen.outcome === 'done') deployment.active = revision;
  deployment.revision = undefined;
}

/** The desired state of a deployment, as its listener gets it. @param url is the control plane's. */
export function assignmentOf(
  one: FakeDeployment,
  { fence, url }: { readonly fence: number; readonly url: string },
): Assignment {
  return {
    deployment_id: one.id,
    workspace_id: one.workspace_id,
    name: one.slug,
    slug: one.slug,
    namespace: null,
    custom_url: one.custom_url,
    watch: one.watch,
    generation: one.generation,
    fence,
    sealing_keys: [`sealing-${one.id}`],
    revision: one.removed || one.revision === undefined ? null : assignedRevision(one.revision, url),
    active: one.removed || one.active === undefined ? null : assignedRevision(one.active, url),
    removed: one.removed,
    purge: one.purge,
    ...(one.hold === undefined || one.hold === 'away' ? {} : { hold: one.hold }),
  };
}

function assignedRevision(revision: FakeRevision, url: string): AssignedRevision {
  const { id, source_digest, artifact_digest, config, repository, commit_sha } = revision;
  const { resources = null } = revision;
  const common = { id, number: 1, config, resources, secret_references: [], environment_version: 1 };
  const { image_uri, artifact_image, is_ours = false } = revision;
  if (artifact_image !== undefined)
    return { ...common, source: null, artifact: { kind: 'image', image_uri: artifact_image, is_ours } };
  if (image_uri !== undefined)
    return { ...common, source: { kind: 'image', image_uri, is_ours }, artifact: null };
  const at = (token: string) => `${url}/v2/blobs/${encodeURIComponent(token)}`;
  const archive = { kind: 'archive' as const, url: at(source_digest), digest: source_digest };
  const source = repository === undefined ? archive : { kind: 'git' as const, ...repository, commit_sha };
  return {
    ...common,
    source: artifact_digest === null ? { ...source, artifact_put_url: at(`put ${id}`) } : null,
    artifact:
      artifact_digest === null ? null : { kind: 'folder', digest: artifact_digest, url: at(artifact_digest) },
  };
}
