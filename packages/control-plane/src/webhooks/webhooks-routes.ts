import type { webhooks } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { Problem, pageOf } from '@roadstead/kit';
import type { Context } from '../context/context.ts';
import { findDeployment } from '../records/deployment-store.ts';
import { insertEvent } from '../events/event-store.ts';
import { checkAddress, TEST_KIND } from './webhook-rules.ts';
import { deleteWebhook, findWebhook, listDeliveries, listWebhooks, updateWebhook } from './webhook-store.ts';
import { createWebhook, rotateSecret } from './webhook-work.ts';

type WebhookHandlers = Handlers<typeof webhooks>;

interface WebhookCall {
  readonly workspace_id: string;
  readonly params: { readonly webhook_id: string };
}

const idOf = ({ workspace_id, params }: WebhookCall) => ({ workspace_id, id: params.webhook_id });

export function webhookHandlers(context: Context): WebhookHandlers {
  const { db, secret_box: box, events } = context;
  const read = async (call: WebhookCall) => found(await findWebhook(db, idOf(call)));
  const checkDeployment = async (workspace_id: string, id: string | null | undefined) => {
    if (id === null || id === undefined) return;
    if ((await findDeployment(db, id))?.workspace_id !== workspace_id)
      throw new Problem('invalid', 'deployment_id names no deployment of this workspace.');
  };
  return {
    listWebhooks: ({ workspace_id, query }) => pageOf(query, (span) => listWebhooks(db, workspace_id, span)),
    createWebhook: async ({ workspace_id, principal: { actor }, body }) => {
      const { url, kinds, deployment_id = null, enabled } = body;
      await checkDeployment(workspace_id, deployment_id);
      const asked = { workspace_id, url, kinds: kinds ?? [], deployment_id, enabled: enabled ?? true };
      return db.transaction((tx) => createWebhook(tx, asked, { box, actor }));
    },
    readWebhook: read,
    patchWebhook: async (call) => {
      const { body, workspace_id, principal } = call;
      if (body.url !== undefined) checkAddress(body.url);
      await checkDeployment(workspace_id, body.deployment_id);
      return db.transaction(async (tx) => {
        const webhook = found(await updateWebhook(tx, { ...idOf(call), ...body }));
        const detail = { webhook_id: webhook.id, fields: Object.keys(body) };
        await insertEvent(tx, { workspace_id, kind: 'webhook.changed', actor: principal.actor, detail });
        return webhook;
      });
    },
    deleteWebhook: async (call) => {
      const { workspace_id, principal, params } = call;
      await db.transaction(async (tx) => {
        if (!(await deleteWebhook(tx, idOf(call)))) throw noWebhook();
        const detail = { webhook_id: params.webhook_id };
        await insertEvent(tx, { workspace_id, kind: 'webhook.deleted', actor: principal.actor, detail });
      });
    },
    rotateWebhookSecret: async (call) =>
      db.transaction(async (tx) =>
        found(await rotateSecret(tx, idOf(call), { box, actor: call.principal.actor })),
      ),
    testWebhook: async (call) => {
      const { workspace_id, principal } = call;
      const { id, enabled } = await read(call);
      if (!enabled) throw new Problem('conflict', 'The webhook is disabled: nothing is sent to it.');
      await db.transaction((tx) =>
        insertEvent(tx, {
          workspace_id,
          kind: TEST_KIND,
          actor: principal.actor,
          detail: { webhook_id: id },
        }),
      );
      await events.caughtUp();
      const [delivery] = await listDeliveries(db, { workspace_id, id }, { kind: TEST_KIND, limit: 1 });
      if (delivery === undefined)
        throw new Problem('conflict', 'The webhook was disabled or removed meanwhile.');
      return delivery;
    },
    listWebhookDeliveries: async (call) => {
      const { id } = await read(call);
      const at = { workspace_id: call.workspace_id, id };
      return pageOf(call.query, (span) => listDeliveries(db, at, span));
    },
  };
}

function found<T>(row: T | undefined): T {
  if (row === undefined) throw noWebhook();
  return row;
}

const noWebhook = () => new Problem('not_found', 'There is no such webhook in this workspace.');
