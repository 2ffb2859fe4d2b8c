import { type EventEmitter, once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
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

test('a body that does not come is not waited for, and an error of the server later on ends nothing', async () => {
  let inner: EventEmitter | undefined;
  await using server = await listen(
    (request, response) => {
      inner = (request.socket as Socket & { server: EventEmitter }).server;
      request.resume().on('end', () => response.end());
    },
    { host: '127.0.0.1', port: 0 },
    { request_ms: 100 },
  );
  const slow = connect(server.port, '127.0.0.1');
  slow.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 10\r\n\r\nhalf');
  const [answer] = (await once(slow, 'data')) as [Buffer];
  expect(answer.toString()).toContain('408 Request Timeout');
  expect(() => inner?.emit('error', new Error('too many open files'))).not.toThrow();
});
