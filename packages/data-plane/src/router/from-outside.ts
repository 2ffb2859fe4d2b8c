import type { IncomingMessage, ServerResponse } from 'node:http';
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
  const isOfAgents = ({ url, headers }: IncomingMessage) =>
    url?.startsWith('/agents/') === true && !hosts.has(headers.host);
  return {
    listener: (request, response) => {
      if (isOfAgents(request)) {
        takeBody({ request, response });
        setHeaders(request, requestHeaders(request.rawHeaders));
        router.listener(request, response);
      } else {
        const inward = inwardHeaders({ address: request.socket.remoteAddress });
        back.pass(request, { outgoing: response, inward });
      }
    },
    onUpgrade: (request, socket, head) => {
      if (!isOfAgents(request)) return back.upgrade(request, { socket, head });
      setHeaders(request, [...requestHeaders(request.rawHeaders), ...UPGRADE]);
      router.onUpgrade(request, socket, head);
    },
  };
}

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
