import { ApiError } from '@roadstead/contracts';
import type { AssignedRevision, Assignment } from '@roadstead/contracts/control-plane';
import { configPathOf } from '../builders/config-file.ts';
import type { DeploymentContext } from './deployment-context.ts';
import { keepManifest } from './keep-manifest.ts';
import { fetchKept } from './kept-artifact.ts';

/** Whether another instance has a deployment, or is about to. */
export const isHandedOver = ({ hold = 'run' }: Assignment): boolean => hold !== 'run';

/** Reports a step of a handover. Where that is refused, others have gone on without us, and the next assignment says how. */
export async function handOver(
  { link }: Pick<DeploymentContext, 'link'>,
  { deployment_id, step }: { readonly deployment_id: string; readonly step: 'prepared' | 'released' },
): Promise<void> {
  try {
    await link.handOver(deployment_id, step);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  }
}

/**
 * Fetches what running a deployment takes, and says so. What can't be fetched now is tried again once it is to run here: who has it is not
 * kept from going.
 */
export async function prepareHandover(
  context: DeploymentContext,
  { deployment_id }: Assignment,
  { revision, signal }: { readonly revision: AssignedRevision | null; readonly signal: AbortSignal },
): Promise<void> {
  if (revision?.artifact?.kind === 'folder')
    await fetchHeld(context, { deployment_id, revision, signal }).catch((error: unknown) =>
      context.log.warn('what comes from another instance was not fetched', { deployment_id, error }),
    );
  signal.throwIfAborted();
  await handOver(context, { deployment_id, step: 'prepared' });
}

async function fetchHeld(context: DeploymentContext, of: Parameters<typeof fetchKept>[1]): Promise<void> {
  const { config, manifest } = of.revision;
  const artifact = await fetchKept(context, of);
  if (manifest == null) return;
  await keepManifest(context, { artifact, config_path: configPathOf(config), manifest });
}
