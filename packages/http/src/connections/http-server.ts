import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Beginning, readBeginning, serveBeginning } from './connection-beginning.ts';
import type { HandOff } from './hand-off.ts';
import { Problem } from '@roadstead/kit';
import { asksForWebSocket, type UpgradeListener } from './upgraded-sockets.ts';

export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpServer extends AsyncDisposable {
  /** The port, or 0 on a unix socket. */
  readonly port: number;
  /** Serves a connection that another process accepted, by the listeners in `taken`. */
  take(beginning: Beginning): void;
}

/** The listeners that answer the requests of a connection. */
export interface RequestListeners {
  readonly listener: NodeListener;
  /** Takes requests for a WebSocket; without it they are answered like any other request. */
  readonly onUpgrade?: UpgradeListener;
}

/** How long a request may take to come in whole: the longest upload over a slow line. */
const REQUEST_MS = 600_000;

/** A client that sends its headers more slowly than this keeps a connection from others. */
const HEADERS_MS = 60_000;
/**
 * The most connections that may arrive at one moment: the system refuses those that its queue has no room for before
 * we accept them.
 */
export const MAX_CONNECTIONS = 4000;

export interface ListenOptions extends Pick<RequestListeners, 'onUpgrade'> {
  readonly drain_ms?: number;
  /** How long a request may take to come in whole. */
  readonly request_ms?: number;
  /** Further connections beyond this many are closed. */
  readonly max_connections?: number;
  /** Called for each connection that is closed for that reason. */
  readonly onTooMany?: () => void;
  /** Takes those connections that it wants; they still count as ours. */
  readonly handOff?: HandOff;
  /** The listeners for connections that are taken over. */
  readonly taken?: RequestListeners;
}

/** Listens on a port of a host or on a unix socket. Closing lets answers end, for `drain_ms` at most. */
export async function listen(
  listener: NodeListener,
  at: { readonly host: string; readonly port: number } | { readonly socket: string },
  options: ListenOptions = {},
): Promise<HttpServer> {
  const requestTimeout = options.request_ms ?? REQUEST_MS;
  const own: RequestListeners = { ...options, listener };
  // Never removed: bytes on a connection that was taken over must not be answered like requests to us.
  const taken = new WeakSet<Duplex>();
  const answering = ({ socket }: IncomingMessage) => (taken.has(socket) ? options.taken : undefined) ?? own;
  const server = createServer({
    keepAliveTimeout: 75_000,
    requestTimeout,
    headersTimeout: Math.min(HEADERS_MS, requestTimeout),
    connectionsCheckingInterval: Math.min(30_000, requestTimeout),
    shouldUpgradeCallback: (request) =>
      answering(request).onUpgrade !== undefined && asksForWebSocket(request),
  });
  let closing: Promise<void> | undefined;
  const known = { upgraded: new Set<Duplex>(), taken: new Set<Duplex>(), unread: new Set<Duplex>() };
  server.on('upgrade', (request, socket, head) => {
    addUntilClosed(known.upgraded, socket);
    answering(request).onUpgrade?.(request, socket, head);
  });
  server.on('request', (request, response) => {
    unlessGone(request, () => answering(request).listener(request, response));
    // A kept-alive connection is idle once its answer is sent, and would not be closed later.
    response.once('close', () => closing && setImmediate(() => server.closeIdleConnections()));
  });
  limitConnections(server, options);
  if (options.handOff !== undefined) offerConnections(server, { handOff: options.handOff, ...known });
  await new Promise<void>((resolve, reject) => {
    // The listener stays: later errors concern single connections, such as one too many for the system.
    server.on('error', (error: NodeJS.ErrnoException) => reject(listenProblem(error, at)));
    const backlog = MAX_CONNECTIONS;
    if ('socket' in at) server.listen({ path: at.socket, backlog }, resolve);
    else server.listen({ port: at.port, host: at.host, backlog }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? (address satisfies AddressInfo).port : 0,
    take: (beginning) => {
      if (options.taken === undefined)
        throw new Error('There is no listener for connections that are taken over.');
      if (beginning.socket.destroyed) return;
      taken.add(beginning.socket);
      addUntilClosed(known.taken, beginning.socket);
      serveBeginning(beginning, (socket) => server.emit('connection', socket));
    },
    [Symbol.asyncDispose]: () =>
      (closing ??= close(server, { ...known, drain_ms: options.drain_ms ?? 10_000 })),
  };
}

/**
 * Begins what changes something only while the caller is there. A process that was suspended finds requests whose
 * callers have gone and asked another process; it is told so once it has looked at its connections again.
 */
function unlessGone({ method, socket }: IncomingMessage, begin: () => void): void {
  if (method === 'GET' || method === 'HEAD') return begin();
  setImmediate(() => setImmediate(() => socket.writable && begin()));
}

/** Connections that the server itself does not know, or not all of them. */
interface TrackedConnections {
  /** No longer connections of the server, but they would hold up its end. */
  readonly upgraded: Set<Duplex>;
  /** The end of the server does not wait for them. */
  readonly taken: Set<Duplex>;
  /** Connections of which it is still unknown who serves them. */
  readonly unread: Set<Duplex>;
}

function addUntilClosed(sockets: Set<Duplex>, socket: Duplex): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

function limitConnections(
  server: Server,
  { max_connections = MAX_CONNECTIONS, onTooMany, handOff }: ListenOptions,
): void {
  server.maxConnections = max_connections;
  server.on('drop', () => onTooMany?.());
  // Node counts only the connections in this process.
  if (handOff !== undefined) handOff.onHeld = (held) => (server.maxConnections = max_connections - held);
}

/** Reads how each connection begins before it is served. */
function offerConnections(
  server: Server,
  { handOff, unread }: Pick<TrackedConnections, 'unread'> & { readonly handOff: HandOff },
): void {
  const serving = server.listeners('connection');
  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    addUntilClosed(unread, socket);
    readBeginning(socket, {
      within_ms: server.headersTimeout,
      tell: (first) => handOff.wants(first),
      onTold: (beginning, is_wanted) => {
        const keep = () => {
          unread.delete(socket);
          serveBeginning(beginning, () => {
            for (const serve of serving) Reflect.apply(serve, server, [socket]);
          });
        };
        if (is_wanted) handOff.offer({ ...beginning, keep });
        else keep();
      },
    });
  });
}

async function close(
  server: Server,
  { upgraded, taken, unread, drain_ms }: TrackedConnections & { readonly drain_ms: number },
): Promise<void> {
  const timer = setTimeout(() => {
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroy();
  }, drain_ms);
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  for (const socket of unread) socket.destroy();
  await Promise.all([ended, ...[...taken].map(closed)]);
  clearTimeout(timer);
}

/** Resolves on an error as well, such as a reset by the client. */
const closed = (socket: Duplex) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

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
