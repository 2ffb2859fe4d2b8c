import type { integrations } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { pageOf } from '@roadstead/kit';
import { doOnce } from '../requests/caller.ts';
import type { Context } from '../context/context.ts';
import { listIntegrations, readIntegration } from './integration-store.ts';
import {
  changeIntegration,
  createIntegration,
  integrationAnswer,
  type MadeIntegration,
  removeIntegration,
} from './integration-work.ts';

type IntegrationHandlers = Handlers<typeof integrations>;

export function integrationHandlers(context: Context): IntegrationHandlers {
  const { db } = context;
  const show = (made: MadeIntegration) => integrationAnswer(context, made);
  return {
    listIntegrations: async (call) => {
      const { items, next_cursor } = await pageOf(call.query, (span) =>
        listIntegrations(db, call.workspace_id, span),
      );
      return { items: items.map((row) => show({ row, webhook_secret: null })), next_cursor };
    },
    createIntegration: async (call) =>
      doOnce(context, call, {
        operation: 'createIntegration',
        work: async (tx) => {
          const { workspace_id, principal, body: asked } = call;
          const { actor } = principal;
          return show(await createIntegration(tx, context, { workspace_id, actor, asked }));
        },
      }),
    readIntegration: async ({ workspace_id, params }) =>
      show({
        row: await readIntegration(db, { workspace_id, id: params.integration_id }),
        webhook_secret: null,
      }),
    patchIntegration: async ({ workspace_id, principal, params, body: patch }) => {
      const change = { workspace_id, actor: principal.actor, id: params.integration_id, patch };
      return show(await db.transaction((tx) => changeIntegration(tx, context, change)));
    },
    deleteIntegration: async ({ workspace_id, principal: { actor }, params }) =>
      db.transaction((tx) => removeIntegration(tx, { workspace_id, actor, id: params.integration_id })),
  };
}
