import { agentServer } from '@roadstead/contracts/agent-server';
import { type Handlers, serve, type RequestHandler } from '@roadstead/http';
import { Problem, silentLog } from '@roadstead/kit';

/**
 * Answers callers without a valid key in place of a deployment that does not exist: like any deployment would, so
 * that they don't learn which names exist.
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
