import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '@roadstead/kit';
import { toResponse } from '../answers/dialects.ts';
import { endWhole, joinSockets, refuseUpgrade } from '../connections/upgraded-sockets.ts';
import { answerHeaders, UPGRADE } from './proxy-rules.ts';

/**
 * The part of a body that is kept until the answer, in case the request has to be sent again: more than is read of one
 * before there is a connection.
 */
const KEPT_BYTES = 131_072;

/** Whoever refuses connections is being started or replaced; a request waits so long for it, and tries so often. */
const PATIENCE_MS = 2000;
const RETRY_MS = 100;

/** A WebSocket without traffic for this long is ended; clients keep one open by pings. */
const IDLE_MS = 300_000;

/** What can be known of an answer, or a refusal, of a target that can move. */
interface Relocation {
  /** Undefined for an answer. Else that is of nobody: the request is sent again, to where it is by then. */
  readonly elsewhere?: (answer: IncomingMessage) => Promise<void> | undefined;
  /** Called when nobody took the connection, before the next try. */
  readonly onRefused?: () => void;
}

interface UpgradeSocket extends Relocation {
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly name: string;
}

export const away = (name: string) =>
  new Problem('unavailable', `The ${name} does not answer; try again in a moment.`);

export function passUpgrade(
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
        answer.on('error', () => undefined).resume();
        void looked.then(() => retry(MOVED, start) || refuse());
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

interface ProxiedRequest extends Relocation {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Opens the request to the other side, on a kept-alive connection or on a fresh one. */
  readonly ask: (on_kept_connection: boolean) => ClientRequest;
  readonly onAway: (error: NodeJS.ErrnoException) => void;
}

export function pass({ incoming, outgoing, ask, onAway, elsewhere, onRefused }: ProxiedRequest): void {
  const retry = createRetry();
  const first = ask(true);
  let [inner, body]: [ClientRequest, Buffer[] | undefined] = [first, []];
  let size = 0;
  let isMoving = false;
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
    isMoving = false;
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
        isMoving = true;
        incoming.unpipe(request).pause();
        answer.on('error', () => undefined).resume();
        void looked.then(() => {
          if (outgoing.closed) return;
          // Nobody reads there what is left of the body.
          if (!request.writableFinished) request.destroy();
          if (body === undefined || !retry(MOVED, again)) onAway(MOVED);
        });
      })
      .on('error', (error) => {
        if (request === inner && !isMoving) onError(error);
      });
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

export function answerAway({ outgoing, name, error: { code = '' } }: Absence): void {
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
