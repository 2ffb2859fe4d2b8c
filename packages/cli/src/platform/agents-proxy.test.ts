import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createAgentsProxy } from './agents-proxy.ts';

async function listening(server: Server, at: { path: string } | { host: string; port: 0 }): Promise<Server> {
  server.listen(at);
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return server;
}

/** A data plane that answers as told, and the platform's port before it. `before` runs in the moment of each call. */
async function proxied(
  handle: RequestListener | undefined,
  before: (connections: Set<Socket>) => void = () => undefined,
) {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const socket = join(folder, 'socket');
  const connections = new Set<Socket>();
  if (handle !== undefined) {
    const inner = await listening(createServer(handle), { path: socket });
    inner.on('connection', (one: Socket) => connections.add(one));
  }
  const proxy = createAgentsProxy(socket);
  onTestFinished(() => proxy[Symbol.dispose]());
  const front = await listening(
    createServer((incoming, outgoing) => {
      before(connections);
      proxy(incoming, outgoing);
    }),
    { host: '127.0.0.1', port: 0 },
  );
  const { port } = front.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const open = async (method = 'GET', body = '', headers = {}): Promise<IncomingMessage> => {
    const asked = request({ host: '127.0.0.1', port, path: '/agents/one/ok', method, headers, agent });
    asked.end(body);
    return ((await once(asked, 'response')) as [IncomingMessage])[0];
  };
  const call = async (method?: string, body?: string) => {
    const answer = await open(method, body);
    return { status: answer.statusCode, text: await text(answer) };
  };
  return { open, call };
}

const echo: RequestListener = (asked, answer) =>
  void text(asked).then((body) => answer.end(`${asked.method} ${body}`));
const closeAll = (connections: Set<Socket>) => {
  for (const one of connections) one.destroy();
};

test('as many streams as clients open are open at once', async () => {
  const { open } = await proxied((_asked, answer) => void answer.writeHead(200).write('first'));
  const streams = await Promise.all(Array.from({ length: 600 }, () => open()));
  expect(streams.every((one) => one.statusCode === 200)).toBe(true);
  for (const one of streams) one.destroy();
}, 60_000);

test.each([
  ['GET', ''],
  ['POST', 'a message'],
  ['POST', 'x'.repeat(60_000)],
])('a kept connection that the data plane has closed is none: %s', async (method, body) => {
  let requests = 0;
  const { call } = await proxied((asked, answer) => {
    requests += 1;
    echo(asked, answer);
  }, closeAll);
  for (const count of [1, 2, 3]) {
    expect(await call(method, body)).toEqual({ status: 200, text: `${method} ${body}` });
    expect(requests).toBe(count);
  }
});

test('what may have been worked on is not sent again', async () => {
  let requests = 0;
  const { call } = await proxied((asked, answer) => {
    requests += 1;
    if (requests > 1) asked.socket.destroy();
    else echo(asked, answer);
  });
  expect((await call('POST', 'one')).status).toBe(200);
  const answer = await call('POST', 'two');
  expect(answer).toMatchObject({
    status: 503,
    text: expect.stringContaining('ended before it answered') as string,
  });
  expect(requests).toBe(2);
});

test('without a data plane it is being started', async () => {
  const { call } = await proxied(undefined);
  expect(await call()).toMatchObject({
    status: 503,
    text: expect.stringContaining('is being started') as string,
  });
});

test('nobody brings an assertion of their own', async () => {
  const { open } = await proxied((asked, answer) => answer.end(JSON.stringify(asked.headers)));
  const answer = await open('GET', '', { 'x-roadstead-assertion': 'forged', 'x-api-key': 'key' });
  const headers = JSON.parse(await text(answer)) as object;
  expect(headers).toMatchObject({ 'x-api-key': 'key' });
  expect(headers).not.toHaveProperty('x-roadstead-assertion');
});
