import type { controlPlane } from '@roadstead/contracts/control-plane';
import type { Handlers, Queryable } from '@roadstead/kit';
import { repeatable } from '../caller.ts';
import type { Context } from '../context.ts';
import { respond, showDeployment } from '../deployments/deployment-answer.ts';
import { readDeploymentView } from '../deployments/deployment-view-store.ts';
import { readSecretNames } from '../environments/environment-store.ts';
import { once } from '../idempotency/idempotency-store.ts';
import { revisionAnswer } from './revision-answer-rules.ts';
import { listRevisions, readRevision, type RevisionRow } from './revision-store.ts';
import { rollBack } from './rollback-work.ts';

type RevisionHandlers = Pick<
  Handlers<typeof controlPlane>,
  'listRevisions' | 'readRevision' | 'redeployRevision'
>;

export function revisionHandlers(context: Context): RevisionHandlers {
  const { db } = context;
  return {
    listRevisions: async (call) => {
      const { deployment_id } = call.params;
      const { remote_reconciled, ...page } = call.query;
      const { is_remote } = await readDeploymentView(db, {
        workspace_id: call.workspace_id,
        id: deployment_id,
      });
      if (remote_reconciled === !is_remote) return { resources: [], offset: page.offset };
      const rows = await listRevisions(db, deployment_id, page);
      const names = await namesOf(db, deployment_id, rows);
      return {
        resources: rows.map((row) => revisionAnswer(row, names(row))),
        offset: call.query.offset + rows.length,
      };
    },
    readRevision: async (call) => {
      const { deployment_id, revision_id } = call.params;
      await readDeploymentView(db, { workspace_id: call.workspace_id, id: deployment_id });
      const row = await readRevision(db, { deployment_id, id: revision_id });
      const names = await namesOf(db, deployment_id, [row]);
      return revisionAnswer(row, names(row));
    },
    redeployRevision: async (call) => {
      const at = { workspace_id: call.workspace_id, id: call.params.deployment_id };
      const { actor } = call.principal;
      const about = [call.params.deployment_id, call.params.revision_id];
      const shown = await db.transaction((tx) =>
        once(tx, {
          ...repeatable(context, call, { operation: 'redeployRevision', about }),
          work: async () => {
            await rollBack(tx, { ...at, revision_id: call.params.revision_id, actor });
            return showDeployment(context, tx, at);
          },
        }),
      );
      context.wake(at.id);
      return respond(shown);
    },
  };
}

async function namesOf(db: Queryable, deployment_id: string, rows: readonly RevisionRow[]) {
  const versions = rows.map(({ environment_version }) => environment_version);
  const names = await readSecretNames(db, { deployment_id, versions });
  return ({ environment_version }: RevisionRow) => names.get(environment_version) ?? [];
}
