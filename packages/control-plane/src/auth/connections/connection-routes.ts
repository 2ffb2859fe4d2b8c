import type { ControlPlaneContract } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/kit';
import { type AuthContext, readCaller } from '../auth-context.ts';
import { connect, disconnect, giveToken, listSeen } from './connection-work.ts';

type ConnectionHandlers = Pick<
  Handlers<ControlPlaneContract>,
  'listAgentConnections' | 'createAgentConnection' | 'deleteAgentConnection' | 'putAgentToken'
>;

export function connectionHandlers(context: AuthContext): ConnectionHandlers {
  return {
    listAgentConnections: async ({ principal, params }) => ({
      data: await listSeen(context, { caller: await readCaller(context, principal), ...params }),
    }),
    createAgentConnection: async ({ principal, params, body }) =>
      connect(context, {
        caller: await readCaller(context, principal),
        ...params,
        oauth_token_id: body.oauth_token_id,
        deployment_id: body.deployment_id ?? null,
      }),
    deleteAgentConnection: async ({ principal, params }) =>
      disconnect(context, { caller: await readCaller(context, principal), ...params }),
    putAgentToken: async ({ principal, params, body }) => {
      const { provider_account_label: label = null, deployment_id = null, ...token } = body;
      return giveToken(context, {
        caller: await readCaller(context, principal),
        ...params,
        deployment_id,
        token,
        label,
      });
    },
  };
}
