import type { Erasure, Holdings } from '@roadstead/contracts';
import { listTablesWithRows, sweepWorkspace } from '@roadstead/service';
import type { Context } from '../context/context.ts';
import { removeUnrecorded } from '../blobs/blob-removal-work.ts';
import { deleteDeployments } from '../deployments/deployment-removal-work.ts';
import { eraseDeployment, lockDeployment } from '../records/deployment-store.ts';
import { SERVICE_ACTOR } from '../events/event-store.ts';
import {
  deleteMessages,
  forgetErasedBlobs,
  listDeploymentsToErase,
  listLiveDeployments,
  listOwnListeners,
  noteBlobs,
  takeErasedBlobs,
} from './erasure-store.ts';
import type { RowKey } from '../records/keys.ts';

const SCHEMA = 'control';
/** Removed by itself, once the blobs are. */
const except = ['erased_blobs'];

/** Lists what prevents the deletion of a workspace; deployments in the bin do not. */
export async function readHoldings({ db }: Pick<Context, 'db'>, workspace_id: string): Promise<Holdings> {
  const kinds = {
    deployments: await listLiveDeployments(db, workspace_id),
    listeners: await listOwnListeners(db, workspace_id),
  };
  return {
    items: Object.entries(kinds).flatMap(([kind, [first, ...rest]]) =>
      first === undefined
        ? []
        : [{ kind, count: first.count, names: [first, ...rest].map(({ name }) => name), must_go: true }],
    ),
  };
}

/**
 * One step: deployments with their databases and folders by their listeners, then blobs, then every row. Repeated
 * until nothing is left; it may be interrupted between steps, and within one.
 */
export async function eraseWorkspace(context: Context, workspace_id: string): Promise<Erasure> {
  const { db } = context;
  await db.transaction((tx) => noteBlobs(tx, workspace_id));
  const deployments = await listDeploymentsToErase(db, workspace_id);
  for (const { id, is_reachable, is_asked } of deployments) {
    if (!is_reachable) await eraseAtOnce(context, id);
    else if (!is_asked) await removeWholly(context, { workspace_id, id });
    else context.wake(id);
  }
  if ((await listDeploymentsToErase(db, workspace_id)).length > 0)
    return { is_done: false, left: ['deployments'] };
  for (;;) {
    const digests = await db.transaction((tx) => takeErasedBlobs(tx, workspace_id));
    for (const digest of digests) await removeUnrecorded(context, digest);
    await forgetErasedBlobs(db, workspace_id);
    if (digests.length === 0) break;
  }
  await deleteMessages(db, workspace_id);
  await sweepWorkspace(db, { schema: SCHEMA, workspace_id, except });
  const left = await listTablesWithRows(db, { schema: SCHEMA, workspace_id });
  return { is_done: left.length === 0, left };
}

/** A concurrent step may have removed it already. */
async function removeWholly(context: Context, { workspace_id, id }: RowKey): Promise<void> {
  await deleteDeployments(context, {
    workspace_id,
    ids: [id],
    actor: SERVICE_ACTOR,
    delete_tracing_project: false,
    force: true,
  });
}

/** Its listener belongs to the workspace, and can’t call us any more. */
async function eraseAtOnce({ db }: Context, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const held = await lockDeployment(tx, id);
    if (held !== undefined) await eraseDeployment(held.tx, id);
  });
}
