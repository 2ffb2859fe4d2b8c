import type { ControlPlaneContract } from '@roadstead/contracts/control-plane';
import type { Handlers } from '@roadstead/kit';
import { callerOf } from '../acting-rules.ts';
import type { AuthContext } from '../auth-context.ts';
import { authenticate } from './authenticate-work.ts';
import { finishFlow } from './finish-work.ts';
import { waitForFlow } from './wait-work.ts';

type FlowHandlers = Pick<Handlers<ControlPlaneContract>, 'authenticate' | 'waitForAuth' | 'finishAuth'>;

export function flowHandlers(context: AuthContext): FlowHandlers {
  return {
    authenticate: async ({ principal, body }) =>
      authenticate(context, { caller: callerOf(principal), request: body }),
    waitForAuth: async ({ principal, params, query, signal }) =>
      waitForFlow(context, { caller: callerOf(principal), ...params, timeout_s: query.timeout }, signal),
    finishAuth: async ({ principal, params, body }) => {
      const caller = callerOf(principal);
      const { id } = await finishFlow(context, { ...params, ...body, caller });
      return { status: 'completed', auth_id: id, provider_id: params.provider_id };
    },
  };
}
