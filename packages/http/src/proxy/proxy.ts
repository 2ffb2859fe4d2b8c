import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { toResponse } from '../answers/dialects.ts';
import { Problem } from '@roadstead/kit';
import { ELSEWHERE_HEADER } from '@roadstead/contracts';
import { answerHeaders, requestHeaders, UPGRADE } from './proxy-rules.ts';
import { endWhole, joinSockets, refuseUpgrade } from '../connections/upgraded-sockets.ts';

/**
 * The part of a body that is kept until the answer, in case the request has to be sent again: more than is read of one
 * before there is a connection.
 */
const KEPT_BYTES = 131_072;

/** Whoever refuses connections is being started or replaced; a request waits so long for it, and tries so often. */
const PATIENCE_MS = 2000;
const RETRY_MS = 100;

/** Where requests go, and its name in errors. */
export interface ProxyTarget {
  readonly name: string;
  readonly at: { readonly socket: string } | { readonly url: string };
}

/** Pipes requests through without parsing their bodies. */
export interface Proxy extends Disposable {
  /** @param inward headers that are added. */
  pass(
    incoming: IncomingMessage,
    exchange: { outgoing: ServerResponse; inward?: Record<string, string> },
  ): void;
  /** The same for a WebSocket request, and for the traffic on it. */
  upgrade(incoming: IncomingMessage, connection: { socket: Duplex; head: Buffer }): void;
}

export function createProxy({ name, at }: ProxyTarget): Proxy {
  const caller = createCaller(at);
  return {
    pass: (incoming, { outgoing, inward = {} }) => {
      const sent = sentRequest(incoming, inward);
      const ask = (on_kept_connection: boolean) => caller.ask(sent, on_kept_connection);
      pass({ incoming, outgoing, ask, onAway: (error) => answerAway({ outgoing, name, error }) });
    },
    upgrade: (incoming, connection) => {
      const sent = sentUpgrade(incoming);
      passUpgrade(() => caller.ask(sent, false), { ...connection, name });
    },
    [Symbol.dispose]: () => caller[Symbol.dispose](),
  };
}

/** Where a request goes. */
export interface FoundTarget {
  readonly at: ProxyTarget['at'];
  /** Headers that are added. */
  readonly inward?: Record<string, string>;
}

/** Finds where requests go, which can move. */
export interface TargetFinder {
  /** Undefined where there is nowhere to go. */
  find(incoming: IncomingMessage): Promise<FoundTarget | undefined>;
  /** The same, knowing that what was found last has it no more, or refuses connections. Waits a moment where it finds the same. */
  findAgain(incoming: IncomingMessage): Promise<FoundTarget | undefined>;
}

/**
 * As `createProxy`, each request to where it is found. What a target has no more is sent on to where it is then, as long as the body
 * is still kept and patience lasts.
 */
export function createRoutedProxy({ name, finder }: { readonly name: string; readonly finder: TargetFinder }): Proxy {
  const callers = new Map<string, Caller>();
  const callerOf = (at: ProxyTarget['at']): Caller => {
    const key = 'socket' in at ? at.socket : at.url;
    const known = callers.get(key) ?? createCaller(at);
    callers.set(key, known);
    return known;
  };
  const moves = (incoming: IncomingMessage, first: FoundTarget) => {
    let target = first;
    return {
      target: () => target,
      elsewhere: (answer: IncomingMessage) =>
        answer.headers[ELSEWHERE_HEADER] === undefined ? undefined : lookAgain(),
      onRefused: () => void lookAgain(),
    };
    async function lookAgain(): Promise<boolean> {
      const found = await finder.findAgain(incoming).catch(() => target);
      target = found ?? target;
      return found !== undefined;
    }
  };
  const unfound = Object.assign(new Error('Nothing answers there.'), { code: 'ECONNREFUSED' });
  return {
    pass: (incoming, { outgoing, inward = {} }) => {
      const onAway = (error: NodeJS.ErrnoException) => answerAway({ outgoing, name, error });
      finder.find(incoming).then(
        (found) => {
          if (outgoing.closed) return;
          if (found === undefined) return onAway(unfound);
          const { target, ...moving } = moves(incoming, found);
          const ask = (on_kept_connection: boolean) => {
            const { at, inward: own = {} } = target();
            return callerOf(at).ask(sentRequest(incoming, { ...inward, ...own }), on_kept_connection);
          };
          pass({ incoming, outgoing, ask, onAway, ...moving });
        },
        () => onAway(unfound),
      );
    },
    upgrade: (incoming, connection) => {
      const refuse = () => void refuseUpgrade(connection.socket, toResponse(away(name), 'detail'));
      finder.find(incoming).then((found) => {
        if (found === undefined) return refuse();
        const { target, ...moving } = moves(incoming, found);
        const ask = () => {
          const { at, inward } = target();
          return callerOf(at).ask(sentUpgrade(incoming, inward), false);
        };
        passUpgrade(ask, { ...connection, name, ...moving });
      }, refuse);
    },
    [Symbol.dispose]: () => {
      for (const caller of callers.values()) caller[Symbol.dispose]();
    },
  };
}

interface SentRequest {
  readonly path: string | undefined;
  readonly method: string | undefined;
  readonly headers: readonly string[];
}

const sentRequest = (
  { url: path, method, rawHeaders }: IncomingMessage,
  inward: Record<string, string>,
): SentRequest => ({ path, method, headers: [...requestHeaders(rawHeaders), ...Object.entries(inward).flat()] });

const sentUpgrade = (
  { url: path, method, rawHeaders }: IncomingMessage,
  inward: Record<string, string> = {},
): SentRequest => ({
  path,
  method,
  headers: [...requestHeaders(rawHeaders), ...Object.entries(inward).flat(), ...UPGRADE],
});

/** Opens requests to one place, on connections that it keeps. */
interface Caller extends Disposable {
  ask(sent: SentRequest, on_kept_connection: boolean): ClientRequest;
}

function createCaller(at: ProxyTarget['at']): Caller {
  const place = 'socket' in at ? { socketPath: at.socket } : placeOf(new URL(at.url));
  const isSecure = 'protocol' in place && place.protocol === 'https:';
  // Each open stream holds a connection, so their number is not limited.
  const agent = new (isSecure ? HttpsAgent : Agent)({ keepAlive: true, maxFreeSockets: 64 });
  const request = isSecure ? httpsRequest : httpRequest;
  return {
    ask: ({ headers, ...sent }, on_kept_connection) =>
      request({ ...place, ...sent, headers: [...headers], agent: on_kept_connection ? agent : false }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** A WebSocket without traffic for this long is ended; clients keep one open by pings. */
const IDLE_MS = 300_000;

/** What can be known of an answer, or a refusal, of a target that can move. */
interface Moving {
  /** Undefined for an answer; else whether it is to be sent again, to where it is now. */
  readonly elsewhere?: (answer: IncomingMessage) => Promise<boolean> | undefined;
  /** Called when nobody took the connection, before the next try. */
  readonly onRefused?: () => void;
}

interface UpgradeSocket extends Moving {
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly name: string;
}

const away = (name: string) =>
  new Problem('unavailable', `The ${name} does not answer; try again in a moment.`);

function passUpgrade(
  ask: () => ClientRequest,
  { socket, head, name, elsewhere, onRefused }: UpgradeSocket,
): void {
  const retry = createRetry();
  let inner: ClientRequest | undefined;
  const gone = () => inner?.destroy();
  socket.on('error', gone).on('close', gone);
  const refuse = () => {
    if (socket.writable) void refuseUpgrade(socket, toResponse(away(name), 'detail'));
  };
  const onError = (error: NodeJS.ErrnoException) => {
    if (socket.destroyed) return;
    if (retry(error, start)) onRefused?.();
    else refuse();
  };
  const deliver = (answer: IncomingMessage) => {
    endWhole(socket);
    const status = `${answer.statusCode ?? 502} ${answer.statusMessage ?? ''}`;
    socket.write(headOf(status, answerHeaders(answer.rawHeaders)));
    answer.on('error', () => socket.destroy()).pipe(socket);
  };
  const start = () => {
    if (socket.destroyed) return;
    inner = ask()
      .on('upgrade', (answer, other, first) => {
        const headers = [...answerHeaders(answer.rawHeaders), ...UPGRADE];
        socket.write(headOf(`101 ${answer.statusMessage ?? ''}`, headers));
        socket.write(first);
        other.write(head);
        joinSockets(socket, { other, idle_ms: IDLE_MS });
      })
      .on('response', (answer) => {
        const looked = elsewhere?.(answer);
        if (looked === undefined) return deliver(answer);
        void looked.then((isElsewhere) => {
          if (!isElsewhere) return deliver(answer);
          answer.resume();
          if (!retry(MOVED, start)) refuse();
        });
      })
      .on('error', onError)
      .end();
  };
  start();
}

function headOf(status: string, headers: readonly string[]): string {
  const lines = Array.from(
    { length: headers.length / 2 },
    (_, at) => `${headers[2 * at]}: ${headers[2 * at + 1]}\r\n`,
  );
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}

const placeOf = ({ protocol, hostname, port }: URL) => ({
  protocol,
  hostname: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
});

interface ProxiedRequest extends Moving {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Opens the request to the other side, on a kept-alive connection or on a fresh one. */
  readonly ask: (on_kept_connection: boolean) => ClientRequest;
  readonly onAway: (error: NodeJS.ErrnoException) => void;
}

function pass({ incoming, outgoing, ask, onAway, elsewhere, onRefused }: ProxiedRequest): void {
  const retry = createRetry();
  const first = ask(true);
  let [inner, body]: [ClientRequest, Buffer[] | undefined] = [first, []];
  let size = 0;
  const keep = (chunk: Buffer) => {
    size += chunk.length;
    if (size > KEPT_BYTES) forget();
    else body?.push(chunk);
  };
  const forget = () => {
    body = undefined;
    incoming.off('data', keep);
  };
  const onError = (error: NodeJS.ErrnoException) => {
    if (outgoing.closed || outgoing.writableEnded) return;
    if (outgoing.headersSent) outgoing.destroy();
    else if (body === undefined) onAway(error);
    else if (inner === first && wasStale(first, error)) again();
    else if (retry(error, again)) {
      incoming.pause();
      onRefused?.();
    } else onAway(error);
  };
  const again = () => {
    if (outgoing.closed || body === undefined) return;
    inner = start(ask(false));
    for (const chunk of body) inner.write(chunk);
    if (incoming.readableEnded) inner.end();
    else incoming.pipe(inner);
  };
  const start = (request: ClientRequest) =>
    request
      .on('response', (answer) => {
        const looked = elsewhere?.(answer);
        if (looked === undefined) return deliver(answer);
        incoming.unpipe(request).pause();
        void looked.then((isElsewhere) => {
          if (outgoing.closed) return;
          if (!isElsewhere) return deliver(answer);
          answer.resume();
          if (body === undefined || !retry(MOVED, again)) onAway(MOVED);
        });
      })
      .on('error', onError);
  const deliver = (answer: IncomingMessage) => {
    forget();
    outgoing.writeHead(answer.statusCode ?? 502, answerHeaders(answer.rawHeaders));
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  };
  outgoing.on('close', () => {
    // An early answer leaves the rest of the body unread, and the connection's next request comes after it.
    forget();
    incoming.unpipe(inner).resume();
    if (!outgoing.writableFinished || !inner.writableFinished) inner.destroy();
  });
  incoming.on('data', keep);
  incoming.pipe(start(first));
}

/**
 * Whether the other side had closed the kept-alive connection before it received the whole request: a write to a
 * closed socket fails at once (EPIPE). A request that only lacks an answer may have been processed, which is harmless
 * for a read.
 */
function wasStale(request: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return request.reusedSocket && (code === 'EPIPE' || (code === 'ECONNRESET' && isRead));
}

/** Nobody took the connection, so nothing of a request was sent. */
const BEING_STARTED = new Set(['ENOENT', 'ECONNREFUSED', 'EHOSTUNREACH', 'EMOVED']);

/** Whoever was asked has it no more. */
const MOVED: NodeJS.ErrnoException = Object.assign(new Error('It is elsewhere.'), { code: 'EMOVED' });

/** Tries again in a moment what nobody took; answers whether it does, which it did for long enough otherwise. */
function createRetry(): (error: NodeJS.ErrnoException, again: () => void) => boolean {
  const until = performance.now() + PATIENCE_MS;
  return ({ code = '' }, again) => {
    if (!BEING_STARTED.has(code) || performance.now() > until) return false;
    setTimeout(again, RETRY_MS);
    return true;
  };
}

interface Absence {
  readonly outgoing: ServerResponse;
  readonly name: string;
  readonly error: NodeJS.ErrnoException;
}

function answerAway({ outgoing, name, error: { code = '' } }: Absence): void {
  const what = BEING_STARTED.has(code) ? 'is being started' : 'ended before it answered';
  outgoing.writeHead(503, {
    'content-type': 'application/json',
    'retry-after': '1',
    // Pages that call agents can distinguish this from a network that is down.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'retry-after',
    'x-content-type-options': 'nosniff',
  });
  outgoing.end(JSON.stringify({ detail: `The ${name} ${what}; try again in a moment.` }));
}
