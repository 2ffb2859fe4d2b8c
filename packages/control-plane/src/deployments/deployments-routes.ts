import type { deployments } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { checkIfMatch, repeatable } from '../requests/caller.ts';
import type { Context } from '../context/context.ts';
import { answerOf, respond, respondIfNew, showDeployment } from './deployment-answer.ts';
import { changeDeployment, removeSecret } from './deployment-change-work.ts';
import { createDeployment } from './deployment-creation-work.ts';
import { deleteDeployment } from './deployment-removal-work.ts';
import { listDeploymentViews } from '../records/deployment-view-store.ts';

type DeploymentHandlers = Handlers<typeof deployments>;

export function deploymentHandlers(context: Context): DeploymentHandlers {
  const { db } = context;
  return {
    createDeployment: async (call) => {
      const shown = await createDeployment(context, {
        workspace_id: call.workspace_id,
        request: call.body,
        actor: call.principal.actor,
        repeat: repeatable(context, call, { operation: 'createDeployment' }),
      });
      context.wake(shown.answer.id);
      return respond(shown, 201);
    },
    listDeployments: async (call) => {
      const { limit, offset, ...filter } = call.query;
      const rows = await listDeploymentViews(db, {
        workspace_id: call.workspace_id,
        limit,
        offset,
        ...filter,
      });
      return { resources: rows.map((row) => answerOf(row, context.agent_url)), offset: offset + rows.length };
    },
    readDeployment: async (call) =>
      respondIfNew(
        await showDeployment(context, db, { workspace_id: call.workspace_id, id: call.params.deployment_id }),
        call.request,
      ),
    patchDeployment: async (call) => {
      const at = { workspace_id: call.workspace_id, id: call.params.deployment_id };
      const shown = await db.transaction(async (tx) => {
        await changeDeployment(tx, context, {
          ...at,
          patch: call.body,
          kind: 'patch',
          actor: call.principal.actor,
          check: (version) => checkIfMatch(call.request, version),
        });
        return showDeployment(context, tx, at);
      });
      context.wake(at.id);
      return respond(shown);
    },
    deleteDeployment: async (call) => {
      const { delete_tracing_project, force } = call.query;
      await deleteDeployment(context, {
        workspace_id: call.workspace_id,
        id: call.params.deployment_id,
        actor: call.principal.actor,
        delete_tracing_project,
        force,
        check: (version) => checkIfMatch(call.request, version),
      });
    },
    deleteSecret: async (call) => {
      const at = { workspace_id: call.workspace_id, id: call.params.deployment_id };
      await db.transaction((tx) =>
        removeSecret(tx, context, {
          ...at,
          name: call.params.name,
          actor: call.principal.actor,
          check: (version) => checkIfMatch(call.request, version),
        }),
      );
      context.wake(at.id);
    },
  };
}
