import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { ASSERTION_HEADER } from '@roadstead/contracts';
import type { NodeListener } from '@roadstead/kit';
import { answerHeaders, requestHeaders } from './proxy-rules.ts';

/** As much of a body is kept until the answer, to send it a second time. */
const KEPT_BYTES = 65_536;

/** Nobody brings an assertion of their own. */
const DROPPED = new Set([ASSERTION_HEADER]);

/** Pipes requests to the data plane's socket; nothing of their bodies is parsed here. */
export function createAgentsProxy(socketPath: string): NodeListener & Disposable {
  // Each open stream holds a connection, so there is no most of them.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  const proxy = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const headers = requestHeaders(incoming.rawHeaders, DROPPED);
    const options: RequestOptions = { socketPath, path: incoming.url, method: incoming.method, headers };
    pass(incoming, outgoing, (kept) => httpRequest({ ...options, agent: kept ? agent : false }));
  };
  return Object.assign(proxy, { [Symbol.dispose]: () => agent.destroy() });
}

/** @param ask opens the request inward, on a kept connection or on a fresh one. */
function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  ask: (on_kept_connection: boolean) => ClientRequest,
): void {
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
    else if (inner === first && body !== undefined && wasStale(first, error)) {
      inner = start(ask(false));
      for (const chunk of body) inner.write(chunk);
      if (incoming.readableEnded) inner.end();
      else incoming.pipe(inner);
    } else away(outgoing, error);
  };
  const start = (request: ClientRequest) =>
    request
      .on('response', (answer) => {
        forget();
        outgoing.writeHead(answer.statusCode ?? 502, answerHeaders(answer.rawHeaders));
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      })
      .on('error', onError);
  outgoing.on('close', () => {
    // Whoever answers early leaves the rest of the body unread, and the next request stands behind it.
    forget();
    incoming.unpipe(inner).resume();
    if (!outgoing.writableFinished || !inner.writableFinished) inner.destroy();
  });
  incoming.on('data', keep);
  incoming.pipe(start(first));
}

/**
 * Whether the other side had closed a kept connection before it had the whole request: what is written to a closed
 * socket fails at once (EPIPE). What only has no answer may have been worked on, which does not matter for a question.
 */
function wasStale(request: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  const isQuestion = request.method === 'GET' || request.method === 'HEAD';
  return request.reusedSocket && (code === 'EPIPE' || (code === 'ECONNRESET' && isQuestion));
}

const BEING_STARTED = new Set(['ENOENT', 'ECONNREFUSED']);

function away(outgoing: ServerResponse, { code = '' }: NodeJS.ErrnoException): void {
  const what = BEING_STARTED.has(code) ? 'is being started' : 'ended before it answered';
  outgoing.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
  outgoing.end(JSON.stringify({ detail: `The data plane ${what}; try again in a moment.` }));
}
