import { agentServer } from '@roadstead/contracts/agent-server';
import { type Handlers, Problem, serve, type RequestHandler, silentLog } from '@roadstead/kit';

/**
 * What a name without a deployment answers to callers without a valid key: the same as any deployment would, so that they
 * don't learn which names there are.
 */
export function createStandIn(): RequestHandler {
  const refuse = () =>
    Promise.reject(new Problem('unauthenticated', 'This needs an API key: send it as the header X-Api-Key.'));
  const handlers = Object.fromEntries(Object.keys(agentServer).map((operation) => [operation, refuse]));
  return serve(agentServer, handlers as unknown as Handlers<typeof agentServer>, {
    service: 'nobody',
    verify: () => undefined,
    log: silentLog,
  });
}
