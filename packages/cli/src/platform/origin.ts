import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Audience } from '@roadstead/contracts';
import { createOriginRouter, type OriginService } from '@roadstead/contracts/services';
import {
  inwardHeaders,
  type NodeListener,
  Problem,
  type Served,
  toNodeListener,
  toResponse,
} from '@roadstead/kit';
import type { Credentials } from '@roadstead/service';
import type { Proxy } from './proxy.ts';

export interface OriginOptions {
  readonly credentials: Credentials;
  /** Each in this process, or elsewhere. */
  readonly services: Readonly<Record<OriginService, Served | Proxy>>;
  readonly agents: Proxy;
  /** Called after every answer of a service elsewhere. */
  readonly onAnswer?: (service: OriginService, status: number, took_ms: number) => void;
}

export interface Origin {
  readonly listener: NodeListener;
  /** The same without a network, for services of this process: calls pass the edge as any other. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The MCP server's callers are the observability service's: their key goes on to it. */
const audiences: Readonly<Record<OriginService, Audience>> = {
  identity: 'identity',
  'control-plane': 'control-plane',
  observability: 'observability',
  'mcp-server': 'platform',
  platform: 'platform',
};

/** One origin for everything: agents by their prefix, the rest by the contracts. */
export function createOrigin({ credentials, services, agents, onAnswer }: OriginOptions): Origin {
  const route = createOriginRouter();
  const answer = async (request: Request, address?: string): Promise<Response> => {
    const path = pathOf(request.url);
    const service = route(path);
    const there = service && services[service];
    if (service === undefined || there === undefined || !('fetch' in there))
      return toResponse(new Problem('not_found', `Nothing is served at ${path}.`), 'detail');
    const inward = await credentials.inward(request.headers, audiences[service]);
    return there.fetch(request, { ...inward, address });
  };
  const web = toNodeListener(answer);
  return {
    fetch: answer,
    listener: (incoming, outgoing) => {
      if (incoming.url?.startsWith('/agents/') === true) return agents.pass(incoming, { outgoing });
      const service = route(pathOf(incoming.url ?? '/'));
      const there = service && services[service];
      if (service === undefined || there === undefined || 'fetch' in there) return web(incoming, outgoing);
      const began = performance.now();
      outgoing.once('close', () => onAnswer?.(service, outgoing.statusCode, performance.now() - began));
      passOn({ incoming, outgoing, credentials, audience: audiences[service], proxy: there });
    },
  };
}

interface PassOn {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly credentials: Credentials;
  readonly audience: Audience;
  readonly proxy: Proxy;
}

/** To a service elsewhere: headers carry what the edge knows of the caller. */
function passOn({ incoming, outgoing, credentials, audience, proxy }: PassOn): void {
  credentials.inward(headersOf(incoming), audience).then(
    (inward) =>
      outgoing.closed ||
      proxy.pass(incoming, {
        outgoing,
        inward: inwardHeaders({ ...inward, address: incoming.socket.remoteAddress }),
      }),
    () => outgoing.destroy(),
  );
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

/** Of a whole address or of a request's target. */
const pathOf = (url: string) => /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] || '/';
