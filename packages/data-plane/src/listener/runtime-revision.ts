import type { AssignedRevision } from '@roadstead/contracts/control-plane';
import { findPythonRuntime } from '../artifacts/python-runtime.ts';
import type { OnLine } from '../ports/builder.ts';
import { configPathOf, readArtifactConfig } from '../builders/config-file.ts';
import type { RuntimeRevision } from '../ports/runtime.ts';
import type { DeploymentContext } from './deployment-context.ts';
import { withProjectEnvironment } from './project-environment.ts';

export interface RevisionReading {
  readonly deployment_id: string;
  readonly revision: AssignedRevision;
  readonly digest: string;
  /** Called with the variables of the project's own environment that are left out. */
  readonly onLine: OnLine | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads what a runtime needs to start: the artifact, its graph configuration, and the environment, which is fetched now.
 */
export async function readRuntimeRevision(
  { link, artifacts, pythons }: Pick<DeploymentContext, 'link' | 'artifacts' | 'pythons'>,
  of: RevisionReading,
): Promise<RuntimeRevision> {
  const { deployment_id, revision, digest, onLine, signal } = of;
  const folder = artifacts.pathOf(digest);
  const { env, ...project } = await readArtifactConfig(artifacts, {
    digest,
    config_path: configPathOf(revision.config),
  });
  const { config_path } = project;
  const given = await link.environment(deployment_id, revision.id);
  const { variables, left_out } = await withProjectEnvironment(folder, { config_path, env }, given);
  if (left_out.length > 0)
    onLine?.(
      `left out of env in ${config_path}, since only Roadstead sets them: ${left_out.join(', ')}`,
      'WARNING',
    );
  const python = await findPythonRuntime(folder, { pythons, signal });
  return { revision_id: revision.id, folder, project, environment: variables, python };
}
