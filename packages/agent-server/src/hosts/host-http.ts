import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type Settings,
} from 'node:http2';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toNodeListener } from '@roadstead/http';
import { Problem } from '@roadstead/kit';

/** Megabytes that all exchanges of one host may hold here at once; each of them is held to its window. */
const SESSION_MB = 32;
/** How many calls of its deployment the code of a host may have open. */
const MAX_LOOPBACKS = 64;
/** Headers that belong to one connection only, and that HTTP/2 refuses. */
const OF_CONNECTION = [
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
];

/** A WebSocket that the project's own app accepted: the frames pass as they are, since the host speaks them. */
export interface AppSocket {
  readonly stream: Duplex;
  readonly subprotocol: string | undefined;
}

/** Asks the project's own app in a graph host, over a connection of HTTP/2 that is opened at the first request. */
export class HostHttp {
  /** Rejects where the host ends before it has connected. */
  readonly #socket: Promise<Duplex>;
  #session: ClientHttp2Session | undefined;
  #settings: Promise<Settings> | undefined;

  constructor(socket: Promise<Duplex>) {
    this.#socket = socket;
    socket.then(
      (opened) => opened.on('error', () => undefined),
      () => undefined,
    );
  }

  /**
   * Resolves with the head of the answer. A request that is aborted is aborted there, too.
   * @param onEnd told when nothing of the exchange is under way any more; not where it did not begin
   */
  async fetch(request: Request, onEnd?: () => void): Promise<Response> {
    const { method, body, signal } = request;
    signal.throwIfAborted();
    const session = await this.#open();
    signal.throwIfAborted();
    const stream = session.request(fieldsOf(request), { endStream: body === null });
    endWith(stream, { signal, onEnd });
    // An app may answer without having read all of it.
    if (body !== null) pipeline(Readable.fromWeb(body as never), stream).catch(() => undefined);
    return answerOf(stream, { headers: await headOf(stream), isBodiless: method === 'HEAD' });
  }

  /**
   * Asks for a WebSocket (RFC 8441). Resolves once the app accepts it, or with the answer by which it refuses.
   * @param onEnd as for `fetch`
   * @throws Problem `not_implemented` where the host speaks none
   */
  async connect(request: Request, onEnd?: () => void): Promise<AppSocket | Response> {
    const session = await this.#open();
    const settings = await this.#settings;
    if (settings?.enableConnectProtocol !== true)
      throw new Problem(
        'not_implemented',
        'The app of this deployment answers requests, and takes up no WebSocket.',
      );
    request.signal.throwIfAborted();
    const fields = { ...fieldsOf(request), ':method': 'CONNECT', ':protocol': 'websocket' };
    const stream = session.request(fields, { endStream: false });
    endWith(stream, { signal: request.signal, onEnd });
    const headers = await headOf(stream);
    if (Number(headers[':status']) !== 200) {
      stream.end();
      return answerOf(stream, { headers, isBodiless: false });
    }
    return { stream, subprotocol: headers['sec-websocket-protocol'] };
  }

  async #open(): Promise<ClientHttp2Session> {
    const socket = await this.#socket.catch(() => undefined);
    if (socket === undefined || socket.destroyed) throw hasEnded();
    if (this.#session?.closed === true || this.#session?.destroyed === true) throw hasEnded();
    if (this.#session !== undefined) return this.#session;
    const session = connect('http://host', {
      createConnection: () => socket,
      maxSessionMemory: SESSION_MB,
      settings: { enablePush: false },
    });
    session.on('error', () => undefined);
    this.#settings = new Promise((resolve, reject) => {
      session.once('remoteSettings', resolve).once('close', () => reject(hasEnded()));
    });
    // Only who asks for a WebSocket waits for them.
    this.#settings.catch(() => undefined);
    this.#session = session;
    return session;
  }
}

const hasEnded = () =>
  new Problem('unavailable', 'The graph host has ended; try again.', { retry_after_s: 1 });

function fieldsOf({ method, url, headers }: Request): OutgoingHttpHeaders {
  const { host, protocol, pathname, search } = new URL(url);
  const fields: OutgoingHttpHeaders = {
    ':method': method,
    ':path': pathname + search,
    ':authority': host,
    ':scheme': protocol.slice(0, -1),
  };
  for (const [name, value] of headers) if (!OF_CONNECTION.includes(name)) fields[name] = value;
  return fields;
}

function endWith(
  stream: ClientHttp2Stream,
  { signal, onEnd }: { readonly signal: AbortSignal; readonly onEnd: (() => void) | undefined },
): void {
  const abort = () => stream.close(constants.NGHTTP2_CANCEL);
  signal.addEventListener('abort', abort, { once: true });
  stream.once('close', () => {
    signal.removeEventListener('abort', abort);
    onEnd?.();
  });
}

function headOf(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const failed = (cause?: unknown) =>
      reject(
        new Problem('unavailable', 'The app of this deployment ended before it answered; try again.', {
          cause,
          retry_after_s: 1,
        }),
      );
    stream.on('error', failed);
    stream.once('close', failed);
    stream.once('response', resolve);
  });
}

const BODILESS = [204, 205, 304];

function answerOf(
  stream: ClientHttp2Stream,
  { headers, isBodiless }: { readonly headers: IncomingHttpHeaders; readonly isBodiless: boolean },
): Response {
  const status = Number(headers[':status']);
  const hasBody = !isBodiless && !BODILESS.includes(status);
  if (!hasBody) stream.resume();
  const body = hasBody ? (Readable.toWeb(stream) as ReadableStream<Uint8Array>) : null;
  try {
    return new Response(body, { status, headers: headersOf(headers) });
  } catch (cause) {
    // Such as a status that no client knows.
    stream.close(constants.NGHTTP2_CANCEL);
    throw new Problem('unavailable', 'The app of this deployment gave an answer that is none.', { cause });
  }
}

const headersOf = (headers: IncomingHttpHeaders): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    name.startsWith(':') || value === undefined
      ? []
      : (Array.isArray(value) ? value : [value]).map((one) => [name, one]),
  );

/** Answers what the code of a graph host asks of its own deployment. */
export function serveLoopback(
  socket: Duplex,
  answer: ((request: Request) => Promise<Response>) | undefined,
): void {
  socket.on('error', () => undefined);
  if (answer === undefined) return;
  // Nothing is made of it before somebody asks.
  socket.once('readable', () => {
    const server = createServer(
      { maxSessionMemory: SESSION_MB, settings: { maxConcurrentStreams: MAX_LOOPBACKS } },
      toNodeListener((request) => answer(request)) as never,
    );
    server.on('sessionError', () => undefined);
    server.emit('connection', socket);
  });
}
