import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Problem } from './problem.ts';
import { asksForWebSocket, type UpgradeListener } from './upgraded-sockets.ts';

export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpServer extends AsyncDisposable {
  /** The port, or 0 on a unix socket. */
  readonly port: number;
}

/** How long a request may take to come in whole: the longest upload over a slow line. */
const REQUEST_MS = 600_000;

/** A client that sends its headers more slowly than this keeps a connection from others. */
const HEADERS_MS = 60_000;
const MAX_CONNECTIONS = 4000;

export interface ListenOptions {
  readonly drain_ms?: number;
  /** How long a request may take to come in whole. */
  readonly request_ms?: number;
  /** Beyond this many at once, further ones are closed. */
  readonly max_connections?: number;
  /** Takes requests for a WebSocket; without it they are answered like any other. */
  readonly onUpgrade?: UpgradeListener;
  /** Called for each connection that is closed for that reason. */
  readonly onTooMany?: () => void;
}

/** Listens on a port of a host or on a unix socket. Closing lets answers end, `drain_ms` at most. */
export async function listen(
  listener: NodeListener,
  at: { readonly host: string; readonly port: number } | { readonly socket: string },
  options: ListenOptions = {},
): Promise<HttpServer> {
  const requestTimeout = options.request_ms ?? REQUEST_MS;
  const server = createServer(
    {
      keepAliveTimeout: 75_000,
      requestTimeout,
      headersTimeout: Math.min(HEADERS_MS, requestTimeout),
      connectionsCheckingInterval: Math.min(30_000, requestTimeout),
      shouldUpgradeCallback: (request) => options.onUpgrade !== undefined && asksForWebSocket(request),
    },
    listener,
  );
  server.maxConnections = options.max_connections ?? MAX_CONNECTIONS;
  server.on('drop', () => options.onTooMany?.());
  let closing: Promise<void> | undefined;
  // They are no connections of the server any more, and would hold up its end.
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    options.onUpgrade?.(request, socket, head);
  });
  // A kept connection is idle once its answer is out, and would not be closed later.
  server.on('request', (_request, response) =>
    response.once('close', () => closing && setImmediate(() => server.closeIdleConnections())),
  );
  await new Promise<void>((resolve, reject) => {
    // Stays: later ones are of single connections, such as one too many for the system.
    server.on('error', (error: NodeJS.ErrnoException) => reject(listenProblem(error, at)));
    if ('socket' in at) server.listen(at.socket, resolve);
    else server.listen(at.port, at.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? (address satisfies AddressInfo).port : 0,
    [Symbol.asyncDispose]: () =>
      (closing ??= close(server, { upgraded, drain_ms: options.drain_ms ?? 10_000 })),
  };
}

async function close(
  server: Server,
  { upgraded, drain_ms }: { readonly upgraded: ReadonlySet<Duplex>; readonly drain_ms: number },
): Promise<void> {
  const timer = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroy();
  }, drain_ms);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}

function listenProblem(error: NodeJS.ErrnoException, at: object): Problem {
  const where = 'port' in at ? `Port ${String(at.port)}` : 'The socket';
  if (error.code === 'EADDRINUSE')
    return new Problem('unavailable', `${where} is in use; set PORT to another one, or stop what uses it.`, {
      cause: error,
    });
  if (error.code === 'EACCES')
    return new Problem('unavailable', `${where} may not be used by this user; set PORT to one above 1023.`, {
      cause: error,
    });
  return new Problem('unavailable', `${where} can't be opened: ${error.message}`, { cause: error });
}
