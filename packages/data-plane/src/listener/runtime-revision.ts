import type { Artifact, AssignedRevision } from '@roadstead/contracts/control-plane';
import { findPythonRuntime } from '../artifacts/python-runtime.ts';
import type { OnLine } from '../ports/builder.ts';
import { configPathOf, readArtifactConfig } from '../builders/config-file.ts';
import type { RuntimeRevision } from '../ports/runtime.ts';
import type { DeploymentContext } from './deployment-context.ts';
import { imageReaderOf, noImages } from './kept-artifact.ts';
import { refuseNul, withProjectEnvironment } from './project-environment.ts';
import { ofDatabase, ofHosts, ofQueue, ofServers, withinMachine, withoutEffect } from './host-resources.ts';

export interface RevisionReading {
  readonly deployment_id: string;
  readonly revision: AssignedRevision;
  readonly artifact: Artifact;
  /** Called with the variables of the project's own environment that are left out. */
  readonly onLine: OnLine | undefined;
  readonly signal: AbortSignal;
}

type ReadingContext = Pick<
  DeploymentContext,
  'link' | 'artifacts' | 'images' | 'machine' | 'pythons' | 'databases'
>;

/**
 * Reads what a runtime needs to start: the artifact, its graph configuration, and the environment, which is fetched now.
 */
export async function readRuntimeRevision(
  context: ReadingContext,
  of: RevisionReading,
): Promise<RuntimeRevision> {
  const { artifact } = of;
  return artifact.kind === 'folder'
    ? readFolder(context, { ...of, digest: artifact.digest })
    : readImage(context, { ...of, reference: artifact.image_uri });
}

async function readFolder(
  { link, artifacts, pythons }: ReadingContext,
  { deployment_id, revision, digest, onLine, signal }: RevisionReading & { readonly digest: string },
): Promise<RuntimeRevision> {
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
  const database = ofDatabase(revision.resources);
  return { revision_id: revision.id, folder, project, environment: variables, python, database };
}

/** The environment is added to that of the image. */
async function readImage(
  { link, images, machine, databases }: ReadingContext,
  { deployment_id, revision, reference, onLine, signal }: RevisionReading & { readonly reference: string },
): Promise<RuntimeRevision> {
  if (images === undefined) throw noImages();
  const image = await images.kindOf(reference, imageReaderOf({ deployment_id, revision, signal }));
  const environment = await link.environment(deployment_id, revision.id);
  refuseNul(environment);
  const effects = { is_server: image.kind === 'server', database: databases.kindOf(deployment_id) };
  for (const sentence of withoutEffect(revision.resources, effects)) onLine?.(sentence, 'WARNING');
  const { id: revision_id, resources } = revision;
  const labels = resources?.labels ?? {};
  const { secret_references } = revision;
  if (image.kind === 'server')
    return {
      revision_id,
      server: {
        reference,
        port: image.port,
        check: image.check,
        labels,
        pod: { ...resources, secret_references },
      },
      environment,
      resources: withinMachine(ofServers(resources), machine),
    };
  const { env: _, ...project } = image.config;
  for (const warning of project.warnings) onLine?.(warning, 'WARNING');
  return {
    revision_id,
    folder: image.folder,
    image: {
      reference,
      has_shell: image.has_shell,
      labels,
      pod: { ...ofQueue(resources), secret_references },
    },
    project,
    environment,
    resources: withinMachine(ofHosts(resources), machine),
    database: ofDatabase(resources),
  };
}
