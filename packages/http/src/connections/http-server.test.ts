import { type EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from './http-server.ts';
import { toNodeListener } from './node-listener.ts';

test('when the server closes, then it waits for an answer under way, and for no kept connection', async () => {
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

test.each<[string, (socket: Socket) => unknown]>([
  ['broke off', (socket) => socket.resetAndDestroy()],
  ['hung up', (socket) => socket.destroy()],
])('when a caller %s before its request is read, then nothing is done for it', async (_what, leave) => {
  const begun: string[] = [];
  await using server = await listen(
    (request, response) => {
      begun.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => response.end());
    },
    { host: '127.0.0.1', port: 0 },
  );
  const url = `http://127.0.0.1:${server.port}`;
  const gone = connect(server.port, '127.0.0.1');
  await once(gone, 'connect');
  gone.write('POST /gone HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\nhi');
  leave(gone);
  await once(gone, 'close');
  await fetch(`${url}/there`, { method: 'POST', body: 'hi' });
  expect(begun).toEqual(['POST /there']);
});

test('when a body does not come, then nobody waits for it, and a later error ends nothing', async () => {
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

test.each([
  ['no Host', 'GET /things HTTP/1.0\r\n\r\n'],
  ['no Host in HTTP/1.1', 'GET /things HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['an empty Host', 'GET /things HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n'],
  ['a Host that is none', 'GET /things HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n'],
  ['a Host with a path', 'GET /things HTTP/1.1\r\nhost: here/there\r\nconnection: close\r\n\r\n'],
  ['an address that is none', 'GET http://[ HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n'],
  ['a word as the target', 'GET things HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n'],
  ['an asterisk as the target', 'OPTIONS * HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n'],
  ['a backslash in the path', 'GET /a\\b HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n'],
  ['a header without a colon', 'GET / HTTP/1.1\r\nhost\r\n\r\n'],
])('when a request has %s, then it is answered 400', async (_what, sent) => {
  // Reads everything that a handler reads.
  const listener = toNodeListener(async ({ url, method, headers }) =>
    Response.json([url, method, [...headers]]),
  );
  await using server = await listen(listener, { host: '127.0.0.1', port: 0 });
  const socket = connect(server.port, '127.0.0.1');
  socket.write(sent);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});

test('when there are more connections than there may be, then they are closed, and that is told', async () => {
  let told = 0;
  await using server = await listen(
    (_request, response) => response.end('there'),
    { host: '127.0.0.1', port: 0 },
    { max_connections: 1, onTooMany: () => (told += 1), drain_ms: 1 },
  );
  const first = connect(server.port, '127.0.0.1');
  first.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
  await once(first, 'data');
  const second = connect(server.port, '127.0.0.1').resume();
  await once(second, 'close');
  expect(told).toBe(1);
  first.destroy();
});

test('when two thousand connections come to a unix socket at once, then all are answered', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'listen-'));
  const socketPath = join(folder, 'socket');
  await using server = await listen((_request, response) => response.end('there'), { socket: socketPath });
  const calls = Array.from({ length: 2000 }, async () => {
    const asked = get({ socketPath, agent: false });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  });
  const ends = await Promise.allSettled(calls);
  expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(server.port).toBe(0);
  await rm(folder, { recursive: true });
});
