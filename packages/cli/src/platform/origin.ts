import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import type { Duplex } from 'node:stream';
import { ADDRESS_HEADER, type Audience } from '@roadstead/contracts';
import { createOriginRouter, type OriginService } from '@roadstead/contracts/services';
import {
  inwardHeaders,
  type NodeListener,
  type Proxy,
  type RequestHandler,
  refuseUpgrade,
  toNodeListener,
  toResponse,
  type UpgradeListener,
} from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { Credentials } from '@roadstead/service';
import type { ConsolePages } from '../console/console.ts';
import { clientAddress } from './client-address.ts';

/** Finds the deployment that answers at a host of its own. */
interface CustomHostFinder {
  /** Its name; undefined at once where none may answer at the host of this header. */
  slugAt(header: string | undefined): Promise<string | undefined> | undefined;
}

export interface OriginOptions {
  readonly credentials: Credentials;
  /** Each service in this process, or a proxy to it. */
  readonly services: Readonly<Record<OriginService, RequestHandler | Proxy>>;
  readonly agents: Proxy;
  /** Finds deployments that answer at hosts of their own. */
  readonly hosts: CustomHostFinder;
  /** Proxies in front, whose headers about the source of a request are trusted. */
  readonly trusted_proxies: BlockList;
  /** The web console; without it browsers get what programs get. */
  readonly console?: ConsolePages | undefined;
  /** Called after every answer of a service in another process. */
  readonly onAnswer?: (service: OriginService, status: number, took_ms: number) => void;
}

type AddressOf = (incoming: IncomingMessage) => string | undefined;

export interface Origin {
  readonly listener: NodeListener;
  /**
   * The same for requests that the data plane returns on connections handed to it: it states where they come from.
   */
  readonly returned: NodeListener;
  /** Only agents accept WebSockets. */
  readonly onUpgrade: UpgradeListener;
  /** The same without a network, for services of this process: their calls pass the edge like any other. */
  readonly fetch: (request: Request) => Promise<Response>;
}

const FORWARDED = 'x-forwarded-for';

/** The MCP server accepts the observability service's callers: their key is passed on to it. */
const audiences: Readonly<Record<OriginService, Audience>> = {
  identity: 'identity',
  'control-plane': 'control-plane',
  observability: 'observability',
  'mcp-server': 'platform',
  platform: 'platform',
};

/** One origin for everything: agents by their prefix, everything else by the contracts. */
export function createOrigin({
  credentials,
  services,
  agents,
  hosts,
  trusted_proxies,
  console: pages,
  onAnswer,
}: OriginOptions): Origin {
  const route = createOriginRouter();
  const answer = async (request: Request, connected?: string): Promise<Response> => {
    const path = pathOf(request.url);
    const service = route(path);
    const there = service && services[service];
    if (service === undefined || there === undefined || !('fetch' in there))
      return toResponse(new Problem('not_found', `Nothing is served at ${path}.`), 'detail');
    const inward = await credentials.inward(request.headers, audiences[service]);
    const forwarded = request.headers.get(FORWARDED);
    const address = clientAddress({ connected, forwarded }, trusted_proxies);
    return there.fetch(request, { ...inward, address });
  };
  const listenerFor = (addressOf: AddressOf) => {
    const web = toNodeListener(answer, { addressOf });
    return atCustomHosts(hosts, (incoming, outgoing: ServerResponse) => {
      if (incoming.url?.startsWith('/agents/') === true) return agents.pass(incoming, { outgoing });
      const page = pages?.(consoleRequest(incoming));
      if (page !== undefined) return toNodeListener(() => page, { addressOf })(incoming, outgoing);
      const service = route(pathOf(incoming.url ?? '/'));
      const there = service && services[service];
      if (service === undefined || there === undefined || 'fetch' in there) return web(incoming, outgoing);
      const began = performance.now();
      outgoing.once('close', () => onAnswer?.(service, outgoing.statusCode, performance.now() - began));
      const forwarded = headersOf(incoming).get(FORWARDED);
      const address = clientAddress({ connected: addressOf(incoming), forwarded }, trusted_proxies);
      passOn({ incoming, outgoing, credentials, audience: audiences[service], proxy: there, address });
    });
  };
  return {
    fetch: answer,
    listener: listenerFor(({ socket }) => socket.remoteAddress),
    returned: listenerFor(({ headers }) => headers[ADDRESS_HEADER]?.toString()),
    onUpgrade: atCustomHosts(hosts, (incoming, socket: Duplex, head: Buffer) => {
      if (incoming.url?.startsWith('/agents/') === true) return agents.upgrade(incoming, { socket, head });
      const path = pathOf(incoming.url ?? '/');
      const refusal = new Problem('not_found', `Nothing speaks WebSocket at ${path}.`);
      void refuseUpgrade(socket, toResponse(refusal, 'detail'));
    }),
  };
}

const consoleRequest = ({ method = 'GET', url = '/', headers }: IncomingMessage) => ({
  method,
  target: targetOf(url),
  accept: headers.accept,
  accept_encoding: headers['accept-encoding']?.toString(),
});

/** Rewrites a request to a deployment's own host as a request to this deployment. */
function atCustomHosts<Rest extends [ServerResponse] | [Duplex, Buffer]>(
  hosts: CustomHostFinder,
  handle: (incoming: IncomingMessage, ...rest: Rest) => void,
): (incoming: IncomingMessage, ...rest: Rest) => void {
  return (incoming, ...rest) => {
    const found = hosts.slugAt(incoming.headers.host);
    if (found === undefined) return handle(incoming, ...rest);
    rest[0].on('error', () => rest[0].destroy());
    void found.then((slug) => {
      if (slug !== undefined) incoming.url = `/agents/${slug}${targetOf(incoming.url ?? '/')}`;
      handle(incoming, ...rest);
    });
  };
}

/** The path and the query of a request's target, which may be a whole address. */
const targetOf = (url: string) => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/^(?!\/)/, '/');

interface PassOn {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly credentials: Credentials;
  readonly audience: Audience;
  readonly proxy: Proxy;
  readonly address: string | undefined;
}

/** Passes a request to a service elsewhere: headers carry what the edge knows of the caller. */
function passOn({ incoming, outgoing, credentials, audience, proxy, address }: PassOn): void {
  credentials.inward(headersOf(incoming), audience).then(
    (inward) =>
      outgoing.closed ||
      proxy.pass(incoming, {
        outgoing,
        inward: inwardHeaders({ ...inward, address }),
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

/** The path of a whole address, or of a request's target. */
const pathOf = (url: string) => /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] || '/';
