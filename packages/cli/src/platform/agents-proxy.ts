import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from 'node:http';
import { ASSERTION_HEADER } from '@roadstead/contracts';
import type { NodeListener } from '@roadstead/kit';

/** As much of a body is kept until the answer, to send it a second time. */
const KEPT_BYTES = 65_536;

/** Pipes requests to the data plane's socket as they are; nothing of them is parsed here. */
export function createAgentsProxy(socket: string): NodeListener & Disposable {
  // Each open stream holds a connection, so there is no most of them.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  const proxy = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { [ASSERTION_HEADER]: _assertion, ...headers } = incoming.headers;
    const ask = (by: Agent | false): ClientRequest =>
      httpRequest({ socketPath: socket, path: incoming.url, method: incoming.method, headers, agent: by });
    send(incoming, outgoing, ask(agent), () => ask(false));
  };
  return Object.assign(proxy, { [Symbol.dispose]: () => agent.destroy() });
}

function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  first: ClientRequest,
  again: () => ClientRequest,
): void {
  let [inner, kept]: [ClientRequest, Buffer[] | undefined] = [first, []];
  let size = 0;
  const keep = (chunk: Buffer) => {
    size += chunk.length;
    if (size > KEPT_BYTES) forget();
    else kept?.push(chunk);
  };
  const forget = () => {
    kept = undefined;
    incoming.off('data', keep);
  };
  const onError = (error: NodeJS.ErrnoException) => {
    if (outgoing.closed || outgoing.headersSent) outgoing.destroy();
    else if (inner === first && kept !== undefined && wasStale(first, error)) {
      inner = start(again());
      for (const chunk of kept) inner.write(chunk);
      if (incoming.readableEnded) inner.end();
      else incoming.pipe(inner);
    } else away(outgoing, error);
  };
  const start = (request: ClientRequest) =>
    request
      .on('response', (answer) => {
        forget();
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      })
      .on('error', onError);
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) inner.destroy();
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
