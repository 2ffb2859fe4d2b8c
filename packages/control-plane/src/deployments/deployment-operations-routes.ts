import type { deploymentOperations } from '@roadstead/contracts/control-plane';
import type { Call, Handlers } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { isUniqueViolation } from '@roadstead/postgres';
import { createPushToken } from '../registry/push-token-work.ts';
import { doOnce } from '../requests/caller.ts';
import type { Context } from '../context/context.ts';
import { respond, showDeployment, type VersionedDeployment } from './deployment-answer.ts';
import { deleteDeployments } from './deployment-removal-work.ts';
import { restoreDeployment } from './deployment-restoration-work.ts';
import { readDeploymentView } from '../records/deployment-view-store.ts';

type OperationHandlers = Handlers<typeof deploymentOperations>;
type DeploymentCall = Call<{ deployment_id: string }, unknown, unknown>;

export function deploymentOperationHandlers(context: Context): OperationHandlers {
  const viewOf = ({ workspace_id, params }: DeploymentCall) =>
    readDeploymentView(context.db, { workspace_id, id: params.deployment_id });
  const refuseTiers = async (call: DeploymentCall): Promise<never> => {
    await viewOf(call);
    throw withoutTiers();
  };
  return {
    countFreeDeployments: async () => ({ count: 0 }),
    deleteDeployments: async ({ query, workspace_id, principal }) => {
      const ids = [...new Set(query.deployment_ids.map((id) => id.toLowerCase()))];
      const { delete_tracing_project } = query;
      const removal = { workspace_id, actor: principal.actor, delete_tracing_project, force: false };
      const deleted = await deleteDeployments(context, { ...removal, ids });
      if (deleted.size === 0)
        throw new Problem('not_found', 'None of deployment_ids names a deployment of this workspace.');
      const results = ids.map((id) =>
        deleted.has(id)
          ? { id, status: 'deleted' as const, detail: null }
          : { id, status: 'not_found' as const, detail: 'There is no such deployment in this workspace.' },
      );
      return Response.json({ results }, { status: deleted.size === ids.length ? 200 : 207 });
    },
    restoreDeployment: async (call) => {
      const shown = await restore(context, call);
      context.wake(call.params.deployment_id);
      return respond(shown);
    },
    createPushToken: async (call) => {
      const { source, id: deployment_id, workspace_id, name } = await viewOf(call);
      if (source !== 'internal_image')
        throw new Problem(
          'invalid',
          `Push tokens are only available for internal_image source deployments, and this is ${source}.`,
        );
      const image = call.query.image ?? name;
      return await createPushToken(context, { workspace_id, deployment_id, image });
    },
    setDeploymentTier: refuseTiers,
    setResourceTiers: async (call) => {
      const { compute_tier = null, database_tier = null } = call.body;
      if (compute_tier === null && database_tier === null)
        throw new Problem('invalid', 'One of compute_tier and database_tier is required.');
      return refuseTiers(call);
    },
  };
}

async function restore(context: Context, call: DeploymentCall): Promise<VersionedDeployment> {
  const at = { workspace_id: call.workspace_id, id: call.params.deployment_id };
  const { actor } = call.principal;
  try {
    return await doOnce(context, call, {
      operation: 'restoreDeployment',
      about: [at.id],
      work: async (tx) => {
        await restoreDeployment(tx, { ...at, actor });
        return showDeployment(context, tx, at);
      },
    });
  } catch (error) {
    const taken = (['name', 'slug'] as const).find((of) => isUniqueViolation(error, `deployments_${of}`));
    if (taken === undefined) throw error;
    throw new Problem('conflict', `The ${taken} of the deployment has been taken by another one.`, {
      hint: 'Delete that one first.',
      cause: error,
    });
  }
}

const withoutTiers = () =>
  new Problem('invalid', 'Deployments have no tiers here.', {
    hint: 'Resources are set by source_config.resource_spec for source external_image, and by the settings of the listener for the others.',
  });
