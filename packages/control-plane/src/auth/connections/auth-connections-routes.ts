import type { authConnections } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/http';
import { callerOf } from '../acting-rules.ts';
import type { AuthContext } from '../auth-context.ts';
import { connect, disconnect, giveToken, listSeen } from './connection-work.ts';

type ConnectionHandlers = Handlers<typeof authConnections>;

export function connectionHandlers(context: AuthContext): ConnectionHandlers {
  return {
    listAgentConnections: async ({ principal, params }) => ({
      data: await listSeen(context, { caller: callerOf(principal), ...params }),
    }),
    createAgentConnection: async ({ principal, params, body }) =>
      connect(context, {
        caller: callerOf(principal),
        ...params,
        oauth_token_id: body.oauth_token_id,
        deployment_id: body.deployment_id ?? null,
      }),
    deleteAgentConnection: async ({ principal, params }) =>
      disconnect(context, { caller: callerOf(principal), ...params }),
    putAgentToken: async ({ principal, params, body }) => {
      const { provider_account_label: label = null, deployment_id = null, ...token } = body;
      return giveToken(context, {
        caller: callerOf(principal),
        ...params,
        deployment_id,
        token,
        label,
      });
    },
  };
}
