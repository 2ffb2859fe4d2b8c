import type { Context } from '../context/context.ts';
import { authContextOf } from './auth-context.ts';
import { connectionHandlers } from './connections/auth-connections-routes.ts';
import { authFlowHandlers } from './flows/auth-flows-routes.ts';
import { providerHandlers } from './providers/auth-providers-routes.ts';
import { tokenHandlers } from './tokens/auth-tokens-routes.ts';

/** The auth service: agents that act for users at OAuth providers. */
export function authHandlers(base: Context) {
  const context = authContextOf(base);
  return {
    ...providerHandlers(context),
    ...authFlowHandlers(context),
    ...tokenHandlers(context),
    ...connectionHandlers(context),
  };
}
