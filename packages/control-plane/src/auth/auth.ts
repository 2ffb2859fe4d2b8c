import type { Context } from '../context/context.ts';
import { authContextOf } from './auth-context.ts';
import { connectionHandlers } from './connections/connection-routes.ts';
import { callbackHandlers } from './flows/callback-routes.ts';
import { flowHandlers } from './flows/flow-routes.ts';
import { providerHandlers } from './providers/provider-routes.ts';
import { tokenHandlers } from './tokens/token-routes.ts';

/** The auth service: agents that act for users at OAuth providers. */
export function authHandlers(base: Context) {
  const context = authContextOf(base);
  return {
    ...providerHandlers(context),
    ...flowHandlers(context),
    ...callbackHandlers(context),
    ...tokenHandlers(context),
    ...connectionHandlers(context),
  };
}
