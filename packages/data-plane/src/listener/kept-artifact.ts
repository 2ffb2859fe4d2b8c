import type { Artifact, AssignedRevision } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { ImageReader } from '../images/images.ts';
import type { DeploymentContext } from './deployment-context.ts';

interface KeptArtifact {
  readonly deployment_id: string;
  readonly revision: AssignedRevision;
  readonly signal: AbortSignal;
}

/** Brings the artifact of a revision that was made before to this machine, unless it is here. */
export async function fetchKept(
  { artifacts, images }: Pick<DeploymentContext, 'artifacts' | 'images'>,
  { deployment_id, revision: { artifact }, signal }: KeptArtifact,
): Promise<Artifact> {
  if (artifact === null)
    throw new Problem('invalid', 'The artifact of the active revision is no longer kept.');
  if (artifact.kind === 'image') {
    if (images === undefined) throw noImages();
    await images.ensure(artifact.image_uri, signal);
    return artifact;
  }
  await artifacts.claim(artifact.digest, deployment_id);
  await artifacts.fetch(artifact.digest, artifact.url, signal);
  return { kind: 'folder', digest: artifact.digest };
}

export const noImages = () =>
  new Problem('invalid', 'This listener runs no images.', {
    hint: 'Its operator starts it with ROADSTEAD_COMPUTE=container.',
  });

/** A deployment that reads an image for one of its revisions. */
export const imageReaderOf = ({ deployment_id, revision, signal }: KeptArtifact): ImageReader => ({
  deployment_id,
  pull_secrets: (revision.resources?.image_pull_secrets ?? []).map(({ name }) => name),
  signal,
});
