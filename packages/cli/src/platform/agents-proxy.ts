import { Agent, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { ASSERTION_HEADER } from '@roadstead/contracts';
import type { NodeListener } from '@roadstead/kit';

/** Pipes requests to the data plane's socket as they are; nothing of them is parsed here. */
export function createAgentsProxy(socket: string): NodeListener & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 512, maxFreeSockets: 64 });
  const proxy = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { [ASSERTION_HEADER]: _assertion, ...headers } = incoming.headers;
    const inner = httpRequest({
      socketPath: socket,
      path: incoming.url,
      method: incoming.method,
      headers,
      agent,
    });
    inner.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    inner.on('error', () => away(outgoing));
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) inner.destroy();
    });
    incoming.pipe(inner);
  };
  return Object.assign(proxy, { [Symbol.dispose]: () => agent.destroy() });
}

function away(outgoing: ServerResponse): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
  outgoing.end(JSON.stringify({ detail: 'The data plane is being started; try again in a moment.' }));
}
