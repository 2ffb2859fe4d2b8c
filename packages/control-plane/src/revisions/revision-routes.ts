import type { controlPlane } from '@roadstead/contracts/control-plane';
import { type Handlers, Problem, type Queryable } from '@roadstead/kit';
import { repeatable } from '../caller.ts';
import type { Context } from '../context.ts';
import { respond, showDeployment } from '../deployments/deployment-answer.ts';
import { lockLiveDeployment, noDeployment } from '../deployments/deployment-store.ts';
import { findDeploymentView } from '../deployments/deployment-view-store.ts';
import { once } from '../idempotency/idempotency-store.ts';
import { isRunnable } from './artifact-rules.ts';
import { revisionAnswer } from './revision-answer-rules.ts';
import { findRevision, insertRevision, listRevisions, type RevisionRow } from './revision-store.ts';

type RevisionHandlers = Pick<
  Handlers<typeof controlPlane>,
  'listRevisions' | 'readRevision' | 'redeployRevision'
>;

export function revisionHandlers(context: Context): RevisionHandlers {
  const { db } = context;
  return {
    listRevisions: async (call) => {
      const { deployment_id } = call.params;
      await checkDeployment(db, call.workspace_id, deployment_id);
      const rows = await listRevisions(db, deployment_id, call.query);
      return { resources: rows.map(revisionAnswer), offset: call.query.offset + rows.length };
    },
    readRevision: async (call) => {
      await checkDeployment(db, call.workspace_id, call.params.deployment_id);
      return revisionAnswer(await readRevision(db, call.params));
    },
    redeployRevision: async (call) => {
      const at = { workspace_id: call.workspace_id, id: call.params.deployment_id };
      const { actor } = call.principal;
      const about = [call.params.deployment_id, call.params.revision_id];
      const shown = await db.transaction((tx) =>
        once(tx, repeatable(context, call, 'redeployRevision', about), async () => {
          await rollBack(tx, { ...at, revision_id: call.params.revision_id, actor });
          return showDeployment(context, tx, at);
        }),
      );
      context.wake(at.id);
      return respond(shown);
    },
  };
}

/** Throws `not_found` outside the workspace and once deleted. */
export async function checkDeployment(db: Queryable, workspace_id: string, id: string): Promise<void> {
  if ((await findDeploymentView(db, { workspace_id, id })) === undefined) throw noDeployment();
}

/** Throws `not_found` when the deployment has no such revision. */
export async function readRevision(
  db: Queryable,
  at: { readonly deployment_id: string; readonly revision_id: string },
): Promise<RevisionRow> {
  const row = await findRevision(db, { deployment_id: at.deployment_id, id: at.revision_id });
  if (row === undefined) throw new Problem('not_found', 'The deployment has no such revision.');
  return row;
}

/** A new revision from all that made an old one, environment included; its artifact is there, so nothing is built. */
async function rollBack(
  tx: Queryable,
  wish: {
    readonly workspace_id: string;
    readonly id: string;
    readonly revision_id: string;
    readonly actor: string;
  },
): Promise<void> {
  const deployment = await lockLiveDeployment(tx, wish);
  const old = await readRevision(tx, { deployment_id: deployment.id, revision_id: wish.revision_id });
  if (old.artifact_expired)
    throw new Problem(
      'invalid',
      'The artifact of this revision was removed; those of the ten newest are kept.',
    );
  if (!isRunnable(old))
    throw new Problem('invalid', 'This revision was never built, so there is nothing to go back to.');
  await insertRevision(tx, {
    workspace_id: wish.workspace_id,
    deployment_id: deployment.id,
    status_reason: null,
    source: old.source,
    config: old.config,
    source_digest: old.source_digest,
    artifact_digest: old.artifact_digest,
    artifact_image: old.artifact_image,
    environment_version: old.environment_version,
    trigger: { kind: 'redeploy', actor: wish.actor },
    rollback_of: old.id,
  });
}
