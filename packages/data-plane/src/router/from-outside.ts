import type { IncomingMessage, ServerResponse } from 'node:http';
import { ASSERTION_HEADER } from '@roadstead/contracts';
import { type RequestListeners, inwardHeaders, type Proxy, requestHeaders, UPGRADE } from '@roadstead/http';
import type { ClaimedHosts } from './claimed-hosts.ts';
import type { Router } from './router.ts';

export interface FromOutsideOptions {
  readonly router: Router;
  readonly hosts: ClaimedHosts;
  /** The way back to the platform. */
  readonly back: Proxy;
}

/**
 * Answers on connections that the platform handed on. They come from outside: headers that only the edge may set are
 * ignored, and requests that are not for an agent by their path go back to the platform.
 */
export function asFromOutside({ router, hosts, back }: FromOutsideOptions): Required<RequestListeners> {
  const isOfAgents = (request: IncomingMessage) => isBelowAgents(request) && !hosts.has(request.headers.host);
  const agents = agentsFor(router);
  return {
    listener: (request, response) => {
      if (isOfAgents(request)) agents.listener(request, response);
      else {
        const inward = inwardHeaders({ address: request.socket.remoteAddress });
        back.pass(request, { outgoing: response, inward });
      }
    },
    onUpgrade: (request, socket, head) => {
      if (!isOfAgents(request)) return back.upgrade(request, { socket, head });
      agents.onUpgrade(request, socket, head);
    },
  };
}

/**
 * Answers calls of agents over the network, and `/ok`; there is nothing else at this address. An edge proves itself by an assertion,
 * which is the one header of the edge that counts here.
 */
export function overNetwork(router: Router): Required<RequestListeners> {
  const agents = agentsFor(router, assertionOf);
  return {
    listener: (request, response) => {
      if (isBelowAgents(request)) return agents.listener(request, response);
      const isOk = request.url === '/ok';
      response
        .writeHead(isOk ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(isOk ? { ok: true } : { detail: 'Nothing is served here but /agents.' }));
    },
    onUpgrade: (request, socket, head) => {
      if (isBelowAgents(request)) agents.onUpgrade(request, socket, head);
      else socket.destroy();
    },
  };
}

const isBelowAgents = ({ url }: IncomingMessage) => url?.startsWith('/agents/') === true;

const assertionOf = ({ headers }: IncomingMessage): readonly string[] =>
  [headers[ASSERTION_HEADER] ?? []].flat().flatMap((one) => [ASSERTION_HEADER, one]);

const agentsFor = (
  router: Router,
  more: (request: IncomingMessage) => readonly string[] = () => [],
): Required<RequestListeners> => ({
  listener: (request, response) => {
    takeBody({ request, response });
    setHeaders(request, [...requestHeaders(request.rawHeaders), ...more(request)]);
    router.listener(request, response);
  },
  onUpgrade: (request, socket, head) => {
    setHeaders(request, [...requestHeaders(request.rawHeaders), ...more(request), ...UPGRADE]);
    router.onUpgrade(request, socket, head);
  },
});

/** Sets the headers as if they had come like this. */
function setHeaders(request: IncomingMessage, raw: string[]): void {
  request.rawHeaders = raw;
  const kept = new Set(raw.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  for (const name of Object.keys(request.headers)) if (!kept.has(name)) delete request.headers[name];
}

/**
 * An early answer leaves the rest of the body unread, and the connection's next request comes after it. The HTTP
 * library soon closes such a connection, which breaks clients that read no answer before they have sent everything.
 */
function takeBody({ request, response }: { request: IncomingMessage; response: ServerResponse }): void {
  response.once('close', () => {
    if (!response.writableFinished || request.readableEnded) return;
    Object.defineProperty(request, 'readableEnded', { value: true });
    request.resume();
  });
}
