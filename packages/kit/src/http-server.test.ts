import { Agent, get } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from './http-server.ts';

test('closing waits for an answer under way, and for no kept connection', async () => {
  const answer = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const server = await listen(
    (_request, response) => {
      asked.resolve();
      void answer.promise.then(() => response.end('there'));
    },
    { host: '127.0.0.1', port: 0 },
    // Longer than any test may take.
    { drain_ms: 600_000 },
  );
  const agent = new Agent({ keepAlive: true });
  const text = new Promise<string>((resolve, reject) => {
    get({ port: server.port, host: '127.0.0.1', agent }, (response) => {
      response.setEncoding('utf8').on('data', resolve);
    }).on('error', reject);
  });
  await asked.promise;
  let closed = false;
  const closing = server[Symbol.asyncDispose]().then(() => (closed = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(false);
  answer.resolve();
  expect(await text).toBe('there');
  await closing;
  agent.destroy();
});
