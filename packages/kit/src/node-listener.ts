import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { toResponse } from './dialects.ts';
import type { NodeListener } from './http-server.ts';
import { Problem } from './problem.ts';

/** Serves a web-standard handler by Node's HTTP server; the request's signal is aborted when the client goes away. */
export function toNodeListener(
  handle: (request: Request, address: string | undefined) => Promise<Response>,
): NodeListener {
  const passOn = (request: Request, { incoming }: HttpBindings) =>
    handle(request, incoming.socket.remoteAddress);
  const listener = getRequestListener(passOn as Parameters<typeof getRequestListener>[0], {
    overrideGlobalObjects: false,
    errorHandler: (error) =>
      toResponse(
        error instanceof RequestError
          ? new Problem('invalid', 'The Host header or the address of the request is not valid.')
          : new Problem('internal', 'Something went wrong here.'),
        'detail',
      ),
  });
  return (request, response) => void listener(request, response);
}
