import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { listen } from '../connections/http-server.ts';
import { createProxy } from './proxy.ts';
import { refuseUpgrade, type UpgradeListener } from '../connections/upgraded-sockets.ts';

async function listening(server: Server, at: { path: string } | { host: string; port: 0 }): Promise<Server> {
  server.listen(at);
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return server;
}

/**
 * A data plane with answers of the test's choice, and the platform's port before it. `before` runs in the moment of
 * each call.
 */
async function proxied(
  handle: RequestListener | undefined,
  before: (connections: Set<Socket>) => void = () => undefined,
) {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const socket = join(folder, 'socket');
  const connections = new Set<Socket>();
  const start = async (handler: RequestListener) => {
    const inner = await listening(createServer(handler), { path: socket });
    inner.on('connection', (one: Socket) => connections.add(one));
  };
  if (handle !== undefined) await start(handle);
  const proxy = createProxy({ name: 'data plane', at: { socket } });
  onTestFinished(() => proxy[Symbol.dispose]());
  const front = await listening(
    createServer((incoming, outgoing) => {
      before(connections);
      proxy.pass(incoming, { outgoing });
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
  /** A connection that sends given text, byte by byte. */
  const raw = async () => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    let came = '';
    socket.on('data', (bytes: Buffer) => (came += bytes.toString('latin1')));
    return { socket, came: () => came };
  };
  return { open, call, raw, start };
}

const echo: RequestListener = (asked, answer) =>
  void text(asked).then((body) => answer.end(`${asked.method} ${body}`));
const closeAll = (connections: Set<Socket>) => {
  for (const one of connections) one.destroy();
};

test('when clients open many streams, then all of them are open at once', async () => {
  const { open } = await proxied((_asked, answer) => void answer.writeHead(200).write('first'));
  const streams = await Promise.all(Array.from({ length: 600 }, () => open()));
  expect(streams.every((one) => one.statusCode === 200)).toBe(true);
  for (const one of streams) one.destroy();
});

test.each([
  ['GET', ''],
  ['POST', 'a message'],
  ['POST', 'x'.repeat(60_000)],
])('when the data plane has closed a kept connection, then it is not used: %s', async (method, body) => {
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

test('when a request may have been worked on, then it is not sent again', async () => {
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

test('when there is no data plane, then the answer is that it is being started', async () => {
  const { call } = await proxied(undefined);
  expect(await call()).toMatchObject({
    status: 503,
    text: expect.stringContaining('is being started') as string,
  });
});

test.each([
  ['GET', ''],
  ['POST', 'a message'],
  ['POST', 'x'.repeat(500_000)],
])('when the data plane is started a moment after a call, then it is called: %s', async (method, body) => {
  const came = Promise.withResolvers<void>();
  const { call, start } = await proxied(undefined, () => came.resolve());
  const answer = call(method, body);
  await came.promise;
  // The first try fails in the meantime.
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  await start(echo);
  expect(await answer).toEqual({ status: 200, text: `${method} ${body}` });
});

test('when the data plane is away, then a page can read so, and the time to try again', async () => {
  const { open } = await proxied(undefined);
  expect((await open('GET', '')).headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'retry-after',
    'retry-after': '1',
  });
});

test('when an assertion comes from outside, then it is dropped', async () => {
  const { open } = await proxied((asked, answer) => answer.end(JSON.stringify(asked.headers)));
  const answer = await open('GET', '', { 'x-roadstead-assertion': 'forged', 'x-api-key': 'key' });
  const headers = JSON.parse(await text(answer)) as object;
  expect(headers).toMatchObject({ 'x-api-key': 'key' });
  expect(headers).not.toHaveProperty('x-roadstead-assertion');
});

test('when two hundred clients close after one call, then all are answered', async () => {
  const { raw } = await proxied(echo);
  for (let count = 0; count < 200; count += 1) {
    const { socket, came } = await raw();
    socket.write(
      'POST /agents/one/ok HTTP/1.1\r\nhost: here\r\nconnection: close\r\ncontent-length: 2\r\n\r\nhi',
    );
    await once(socket, 'end');
    expect(came()).toMatch(/^HTTP\/1.1 200 [^]*POST hi/);
  }
});

test('when headers belong to one connection, then they stay on it, in both directions', async () => {
  const { raw } = await proxied((asked, answer) => {
    const cookies = ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'];
    answer.writeHead(
      200,
      ['Connection', 'X-Inner', 'X-Inner', '1', 'Keep-Alive', 'timeout=1'].concat(cookies, 'X-End', '2'),
    );
    answer.end(JSON.stringify(asked.headers));
  });
  const { socket, came } = await raw();
  const lines = `GET /agents/one/ok HTTP/1.1
host: here
connection: close, x-mine
x-mine: 1
te: trailers
upgrade: websocket
keep-alive: timeout=9
proxy-authorization: Basic eA==
x-end: 2

`;
  socket.write(lines.replaceAll('\n', '\r\n'));
  await once(socket, 'end');
  const [head = '', seen = ''] = came().split('\r\n\r\n');
  expect(head).toMatch(/Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-End: 2/);
  expect(head).not.toMatch(/X-Inner|timeout=1/);
  expect(seen).toContain('"x-end":"2"');
  for (const name of ['x-mine', '"te"', 'upgrade', 'timeout=9', 'proxy-authorization', '"close'])
    expect(seen).not.toContain(name);
});

test.each(['POST', 'GET', 'DELETE'])(
  'when a %s has a chunked body, then it arrives whole and as one request',
  async (method) => {
    const seen: string[] = [];
    const { raw } = await proxied((asked, answer) => {
      seen.push(asked.url ?? '');
      echo(asked, answer);
    });
    const { socket, came } = await raw();
    socket.write(
      `${method} /agents/one/a HTTP/1.1\r\nhost: here\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n` +
        `1e\r\nGET /agents/two/b HTTP/1.1\r\n\r\n\r\n0\r\n\r\n`,
    );
    await once(socket, 'end');
    expect(came()).toContain(`${method} GET /agents/two/b HTTP/1.1`);
    expect(seen).toEqual(['/agents/one/a']);
  },
);

test.each([
  ['closes', (answer: ServerResponse) => answer.writeHead(413, { connection: 'close' })],
  ['goes on', (answer: ServerResponse) => answer.writeHead(413)],
])(
  'when a handler that %s answers before reading the body, then the next request goes on',
  async (_who, head) => {
    const { raw } = await proxied((asked, answer) => {
      if (asked.method === 'GET') echo(asked, answer);
      else head(answer).end('too much');
    });
    const { socket, came } = await raw();
    const body = 'x'.repeat(8_000_000);
    socket.write(`POST /agents/one/a HTTP/1.1\r\nhost: here\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.write(body.slice(0, 1000));
    await expect.poll(came).toContain('too much');
    socket.write(body.slice(1000));
    socket.write('GET /agents/one/b HTTP/1.1\r\nhost: here\r\n\r\n');
    await expect.poll(came).toMatch(/HTTP\/1.1 200 [^]*GET /);
  },
);

/** The port of a platform, which reports closed connections, and the socket at which its data plane will listen. */
async function upgradedFront(onClosed = () => {}) {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const socket = join(folder, 'socket');
  const proxy = createProxy({ name: 'data plane', at: { socket } });
  onTestFinished(() => proxy[Symbol.dispose]());
  const front = await listen(
    (_request, response) => response.end(),
    { host: '127.0.0.1', port: 0 },
    {
      drain_ms: 0,
      onUpgrade: (request, from, head) =>
        proxy.upgrade(request, { socket: from.once('close', onClosed), head }),
    },
  );
  onTestFinished(() => front[Symbol.asyncDispose]());
  const start = async (onUpgrade: UpgradeListener) => {
    const inner = await listen(
      (_request, response) => response.end(),
      { socket },
      { drain_ms: 0, onUpgrade },
    );
    onTestFinished(() => inner[Symbol.asyncDispose]());
  };
  return { url: `ws://127.0.0.1:${front.port}/agents/one/chat`, start };
}

/** A data plane that accepts WebSockets if the test wants it to, and the platform's port before it. */
async function upgraded(onUpgrade: UpgradeListener | undefined, onClosed = () => {}): Promise<string> {
  const { url, start } = await upgradedFront(onClosed);
  if (onUpgrade !== undefined) await start(onUpgrade);
  return url;
}

test('when a WebSocket passes, then both ways are open, without headers of the edge', async () => {
  const speaker = new WebSocketServer({ noServer: true });
  const ended = Promise.withResolvers<number>();
  const url = await upgraded((incoming, socket, head) =>
    speaker.handleUpgrade(incoming, socket, head, (spoken) => {
      spoken.on('message', (said: Buffer) =>
        spoken.send(`${String(incoming.headers['x-roadstead-assertion'])} ${said.toString()}`),
      );
      spoken.on('close', (code) => ended.resolve(code));
    }),
  );
  const client = new WebSocket(url, ['chat'], { headers: { 'x-roadstead-assertion': 'forged' } });
  await once(client, 'open');
  client.send('x'.repeat(100_000));
  const [answer] = (await once(client, 'message')) as [Buffer];
  expect(answer.toString()).toBe(`undefined ${'x'.repeat(100_000)}`);
  client.close(4001);
  expect(await ended.promise).toBe(4001);
});

test('when the data plane is started a moment after a WebSocket is asked for, then it is opened', async () => {
  const speaker = new WebSocketServer({ noServer: true });
  const { url, start } = await upgradedFront();
  const client = new WebSocket(url);
  const opened = once(client, 'open');
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  await start((incoming, socket, head) => speaker.handleUpgrade(incoming, socket, head, () => undefined));
  await opened;
  expect(client.readyState).toBe(WebSocket.OPEN);
  client.terminate();
});

test.each<[string, UpgradeListener | undefined, number, string]>([
  [
    'that is refused gets the refusal whole',
    (_request, socket) => void refuseUpgrade(socket, Response.json({ detail: 'no' }, { status: 401 })),
    401,
    '{"detail":"no"}',
  ],
  ['while the data plane is away is told so', undefined, 503, 'does not answer'],
])('when a WebSocket is opened, then one %s', async (_what, onUpgrade, status, body) => {
  const client = new WebSocket(await upgraded(onUpgrade));
  client.on('error', () => undefined);
  const [, answer] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
  expect([answer.statusCode, await text(answer)]).toEqual([status, expect.stringContaining(body)]);
});

test.each<[string, UpgradeListener | undefined]>([
  [
    'refused',
    (_request, socket) => void refuseUpgrade(socket, Response.json({ detail: 'no' }, { status: 401 })),
  ],
  ['told that nobody is there', undefined],
])(
  'when a client was %s and does not end its side, then it loses the connection',
  async (_what, onUpgrade) => {
    const closed = Promise.withResolvers<void>();
    const { hostname: host, port } = new URL(await upgraded(onUpgrade, closed.resolve));
    const socket = connect({ host, port: Number(port), allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.write(
      'GET /agents/one/chat HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    );
    expect(await text(socket)).toMatch(/^HTTP\/1.1 (401|503) [^]*detail/);
    await closed.promise;
  },
);
