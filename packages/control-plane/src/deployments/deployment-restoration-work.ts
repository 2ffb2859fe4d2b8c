import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import {
  advanceDeployment,
  lockDeployment,
  noDeployment,
  takeOutOfBin,
} from '../records/deployment-store.ts';
import type { RowChange } from '../records/keys.ts';

/**
 * Takes a deployment out of the bin; its loop makes a key and rolls out again what served. Throws `conflict` while it
 * is being stopped, once its time is over, and when it is not in the bin.
 */
export async function restoreDeployment(
  tx: Transaction,
  { workspace_id, id, actor }: RowChange,
): Promise<void> {
  const held = await lockDeployment(tx, id);
  if (held === undefined || held.deployment.workspace_id !== workspace_id) throw noDeployment();
  const { deployment } = held;
  if (deployment.status === 'AWAITING_DELETE')
    throw new Problem('conflict', 'The deployment is still being stopped.', {
      hint: 'It can be restored once GET /v2/deployments?status=deleted lists it.',
    });
  if (deployment.status !== 'DELETED')
    throw new Problem('conflict', 'The deployment is not in the bin, so there is nothing to restore.');
  if (deployment.purge_due)
    throw new Problem('conflict', 'Its time in the bin is over: the deployment is being erased.');
  await advanceDeployment(held.tx, { deployment, to: 'AWAITING_DATABASE', actor });
  await takeOutOfBin(held.tx, id);
}
