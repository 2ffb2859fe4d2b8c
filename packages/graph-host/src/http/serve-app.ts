import { openConnection } from '../channel/connections.ts';
import { answerStream } from './exchange.ts';
import type { UserApp } from './user-app.ts';

/** Answers what the engine asks the project's app, over a connection of its own: it can't hold up what runs say. */
export async function serveApp(
  app: UserApp,
  complain: (what: string, thrown: unknown) => void,
): Promise<void> {
  const { createServer } = await import('node:http2');
  const server = createServer({ maxSessionMemory: 256 });
  server.on('stream', (stream, headers) => {
    void answerStream(stream, headers, { fetch: (request) => app.fetch(request), complain });
  });
  const socket = openConnection('app');
  socket.on('error', () => undefined);
  server.on('sessionError', () => undefined);
  server.emit('connection', socket);
  // The channel alone decides how long a host lives.
  socket.unref();
}
