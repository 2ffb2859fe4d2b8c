import type { Artifact } from '@roadstead/contracts/control-plane';
import type { Manifest } from '@roadstead/contracts/host';
import { digestOf } from './artifact-rules.ts';
import type { DeploymentContext } from './deployment-context.ts';

interface BuildManifest {
  readonly artifact: Artifact;
  readonly config_path: string;
  readonly manifest: Manifest;
}

/** Keeps what a host described. It only saves a start: without it the next one describes the build again. */
export async function keepManifest(
  { artifacts, log }: Pick<DeploymentContext, 'artifacts' | 'log'>,
  { artifact, config_path, manifest }: BuildManifest,
): Promise<void> {
  const digest = digestOf(artifact);
  try {
    await artifacts.keepManifest(digest, config_path, manifest);
  } catch (error) {
    log.warn('the manifest of a build was not kept', { digest, error });
  }
}
