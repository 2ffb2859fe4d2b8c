import type { Audience } from '@roadstead/contracts';
import { createOriginRouter, type OriginService } from '@roadstead/contracts/services';
import type { Edge } from '@roadstead/identity';
import { type NodeListener, Problem, type Served, toNodeListener, toResponse } from '@roadstead/kit';

export interface OriginOptions {
  readonly edge: Edge;
  readonly services: Readonly<Record<OriginService, Served>>;
  readonly agents: NodeListener;
}

export interface Origin {
  readonly listener: NodeListener;
  /** The same without a network: calls pass the edge as any other. */
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
export function createOrigin({ edge, services, agents }: OriginOptions): Origin {
  const route = createOriginRouter();
  const answer = async (request: Request): Promise<Response> => {
    const path = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(request.url)?.[1] ?? '/';
    const service = route(path);
    if (service === undefined)
      return toResponse(new Problem('not_found', `Nothing is served at ${path}.`), 'detail');
    return services[service].fetch(request, await edge.inward(request.headers, audiences[service]));
  };
  const web = toNodeListener(answer);
  return {
    fetch: answer,
    listener: (request, response) =>
      request.url?.startsWith('/agents/') === true ? agents(request, response) : web(request, response),
  };
}
