import type { Artifact, SourceKind } from '@roadstead/contracts/control-plane';
import type { RevisionConfig } from './revision-rules.ts';

/** The source of a revision, and the artifact that was built from it. */
interface SourceAndArtifact {
  readonly source: SourceKind;
  readonly source_digest: string | null;
  readonly config: Pick<RevisionConfig, 'image_uri'>;
  readonly artifact_digest: string | null;
  readonly artifact_image: string | null;
}

/** Null until the revision is built. */
export function artifactOf({
  artifact_digest,
  artifact_image,
}: Pick<SourceAndArtifact, 'artifact_digest' | 'artifact_image'>): Artifact | null {
  if (artifact_image !== null) return { kind: 'image', image_uri: artifact_image };
  return artifact_digest === null ? null : { kind: 'folder', digest: artifact_digest };
}

/** Whether it can run without a build: it is built, or its source is an image. */
export function isRunnable(
  made: Pick<SourceAndArtifact, 'config' | 'artifact_digest' | 'artifact_image'>,
): boolean {
  return artifactOf(made) !== null || made.config.image_uri !== null;
}

/** Whether there is anything to build or to run. */
export function hasSource(made: SourceAndArtifact): boolean {
  return made.source === 'git' || made.source_digest !== null || isRunnable(made);
}
