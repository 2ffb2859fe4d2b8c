import { randomBytes } from 'node:crypto';
import type { controlPlane, DeploymentCreateRequest } from '@roadstead/contracts/control-plane';
import { type Call, type Handlers, isUniqueViolation, Problem, type Queryable, uuidv7 } from '@roadstead/kit';
import { checkIfMatch, repeatable } from '../caller.ts';
import type { Context } from '../context.ts';
import { insertEnvironment } from '../environments/environment-store.ts';
import { once } from '../idempotency/idempotency-store.ts';
import { chooseListener } from '../listeners/listener-choice-rules.ts';
import { listCandidates } from '../listeners/listener-store.ts';
import { awaitingReason, deriveFirst } from '../revisions/revision-rules.ts';
import { insertRevision } from '../revisions/revision-store.ts';
import { changeDeployment, removeSecret } from './deployment-change.ts';
import { deleteDeployment } from './deployment-removal.ts';
import { answerOf, respond, showDeployment, type Shown } from './deployment-answer.ts';
import { insertDeployment, isSlugTaken } from './deployment-store.ts';
import { listDeploymentViews } from './deployment-view-store.ts';

type DeploymentHandlers = Pick<
  Handlers<typeof controlPlane>,
  | 'createDeployment'
  | 'listDeployments'
  | 'readDeployment'
  | 'patchDeployment'
  | 'deleteDeployment'
  | 'deleteSecret'
>;

export function deploymentHandlers(context: Context): DeploymentHandlers {
  const { db } = context;
  return {
    createDeployment: async (call) => {
      const shown = await createDeployment(context, call);
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
      respond(
        await showDeployment(context, db, { workspace_id: call.workspace_id, id: call.params.deployment_id }),
      ),
    patchDeployment: async (call) => {
      const at = { workspace_id: call.workspace_id, id: call.params.deployment_id };
      const shown = await db.transaction(async (tx) => {
        await changeDeployment(tx, context, {
          ...at,
          patch: call.body,
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
      });
    },
    deleteSecret: async (call) => {
      const at = { workspace_id: call.workspace_id, id: call.params.deployment_id };
      await db.transaction((tx) =>
        removeSecret(tx, context, { ...at, name: call.params.name, actor: call.principal.actor }),
      );
      context.wake(at.id);
    },
  };
}

const SLUG_ATTEMPTS = 3;

async function createDeployment(
  context: Context,
  call: Call<undefined, undefined, DeploymentCreateRequest>,
): Promise<Shown> {
  const workspace_id = call.workspace_id;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await context.db.transaction((tx) =>
        once(tx, repeatable(context, call, 'createDeployment'), () =>
          insertFirst(tx, context, { workspace_id, request: call.body, actor: call.principal.actor }),
        ),
      );
    } catch (error) {
      if (isUniqueViolation(error, 'deployments_name'))
        throw new Problem('conflict', `The workspace has a deployment named ${call.body.name} already.`, {
          cause: error,
        });
      // Somebody took the same slug between looking and inserting.
      if (!isUniqueViolation(error, 'deployments_slug') || attempt === SLUG_ATTEMPTS) throw error;
    }
  }
}

async function insertFirst(
  tx: Queryable,
  context: Context,
  wish: { readonly workspace_id: string; readonly request: DeploymentCreateRequest; readonly actor: string },
): Promise<Shown> {
  const { workspace_id, request, actor } = wish;
  const { source_config, revision, environment } = deriveFirst(request);
  const { name, source } = request;
  const id = uuidv7();
  const slug = (await isSlugTaken(tx, name)) ? `${name}-${randomBytes(3).toString('hex')}` : name;
  const { id: listener_id } = chooseListener(request, await listCandidates(tx, workspace_id));
  await insertDeployment(tx, { id, workspace_id, name, slug, source, source_config, listener_id, actor });
  const environment_version =
    environment === undefined
      ? 0
      : await insertEnvironment(tx, context.secret_box, { deployment_id: id, base: 0, change: environment });
  await insertRevision(tx, {
    workspace_id,
    deployment_id: id,
    status_reason: awaitingReason({ deployment_id: id, source, source_digest: null, config: revision }),
    source,
    config: revision,
    source_digest: null,
    artifact_digest: null,
    artifact_image: null,
    environment_version,
    trigger: { kind: 'create', actor },
    rollback_of: null,
  });
  return showDeployment(context, tx, { workspace_id, id });
}
