import { once } from 'node:events';
import { createServer, request as requestHttp } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { ConnectProxy, type Pass } from './connect-proxy.ts';

/** A host that answers each connection with this many bytes, and then keeps listening. */
async function startHost(bytes: number) {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).write(Buffer.alloc(bytes, 'x'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
  return { port, connections, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const stack = useFixturePerTest(() => new AsyncDisposableStack());

interface Answer {
  readonly status: number;
  readonly socket: Socket;
}

async function ask(
  proxy: ConnectProxy,
  path: string,
  pass?: Pick<Pass, 'username' | 'password'>,
): Promise<Answer> {
  const credential = Buffer.from(`${pass?.username}:${pass?.password}`).toString('base64');
  const request = requestHttp({
    port: proxy.port,
    method: 'CONNECT',
    path,
    headers: pass === undefined ? {} : { 'proxy-authorization': `Basic ${credential}` },
  }).end();
  const [response, socket] = (await once(request, 'connect')) as [{ statusCode: number }, Socket];
  stack().defer(() => void socket.destroy());
  socket.on('error', () => undefined);
  return { status: response.statusCode, socket };
}

async function bytesOf(socket: Socket): Promise<number> {
  let bytes = 0;
  for await (const chunk of socket) bytes += (chunk as Buffer).length;
  return bytes;
}

const here = { allowed_hosts: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] };
const open = async (options = {}) => stack().use(await ConnectProxy.open(options));
const host = async (bytes = 5) => stack().use(await startHost(bytes));

test('when bytes travel, then they do both ways, and those of the host are counted', async () => {
  const server = stack().use(
    createServer((request, response) => request.on('end', () => response.end('hello')).resume()).listen(
      0,
      '127.0.0.1',
    ),
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await open(here);
  const pass = proxy.admit({ host: 'git.test', port, max_bytes: 1000 });
  const { status, socket } = await ask(proxy, `git.test:${port}`, pass);
  expect(status).toBe(200);
  socket.write('GET / HTTP/1.1\r\nHost: git.test\r\nConnection: close\r\n\r\n');
  const bytes = await bytesOf(socket);
  expect(pass).toMatchObject({ received: bytes, trouble: undefined });
});

test('when a call has no pass, or one for another host or port, then nothing is connected', async () => {
  const { port, connections } = await host();
  const proxy = await open(here);
  const pass = proxy.admit({ host: 'git.test', port, max_bytes: 1000 });
  const other = proxy.admit({ host: 'other.test', port, max_bytes: 1000 });
  const statuses = [
    await ask(proxy, `git.test:${port}`),
    await ask(proxy, `git.test:${port}`, { username: 'pass', password: '' }),
    await ask(proxy, `git.test:${port}`, { username: 'other', password: pass.password }),
    await ask(proxy, `git.test:${port}`, other),
    await ask(proxy, 'git.test:1', pass),
    await ask(proxy, `127.0.0.1:${port}`, pass),
  ].map(({ status }) => status);
  expect(statuses).toEqual([407, 407, 407, 403, 403, 403]);
  expect(await connections()).toBe(0);
});

test('when a plain request comes, then the proxy refuses it', async () => {
  const proxy = await open();
  expect((await fetch(`http://127.0.0.1:${proxy.port}/`)).status).toBe(405);
});

test('when a pass is over, then it carries nothing, and what it carried ends', async () => {
  const { port } = await host();
  const proxy = await open(here);
  const pass = proxy.admit({ host: 'git.test', port, max_bytes: 1000 });
  const { socket } = await ask(proxy, `git.test:${port}`, pass);
  const closed = once(socket, 'close');
  pass[Symbol.dispose]();
  await closed;
  expect((await ask(proxy, `git.test:${port}`, pass)).status).toBe(407);
});

test('when a host is private, or a name means one, then it is refused', async () => {
  const { port, connections } = await host();
  const proxy = await open({ resolve: async () => ['8.8.8.8', '127.0.0.1'] });
  for (const name of ['127.0.0.1', 'git.test']) {
    const pass = proxy.admit({ host: name, port, max_bytes: 1000 });
    expect((await ask(proxy, `${name}:${port}`, pass)).status).toBe(502);
    expect(pass.trouble).toMatchObject({ kind: 'refused', problem: { code: 'host_not_allowed' } });
  }
  expect(await connections()).toBe(0);
});

test('when a name means another host a moment later, then the address that was checked is used', async () => {
  const { port, connections } = await host();
  const asked: string[] = [];
  // 127.0.0.1 is allowed; from the second lookup on the name resolves to 127.0.0.2.
  const resolve = async (name: string) => {
    asked.push(name);
    return [asked.length === 1 ? '127.0.0.1' : '127.0.0.2'];
  };
  const proxy = await open({ allowed_hosts: ['127.0.0.1'], resolve });
  const pass = proxy.admit({ host: 'rebinding.test', port, max_bytes: 1000 });
  expect((await ask(proxy, `rebinding.test:${port}`, pass)).status).toBe(200);
  expect(asked).toEqual(['rebinding.test']);
  expect(await connections()).toBe(1);
  expect((await ask(proxy, `rebinding.test:${port}`, pass)).status).toBe(502);
  expect(pass.trouble).toMatchObject({ kind: 'refused' });
  expect(await connections()).toBe(1);
});

test('when the bytes of all connections together are too many, then they are cut', async () => {
  const { port } = await host(100_000);
  const proxy = await open(here);
  const pass = proxy.admit({ host: 'git.test', port, max_bytes: 150_000 });
  const first = await ask(proxy, `git.test:${port}`, pass);
  await expect.poll(() => pass.received).toBe(100_000);
  expect(pass.trouble).toBeUndefined();
  const second = await ask(proxy, `git.test:${port}`, pass);
  await bytesOf(second.socket).catch(() => 0);
  expect(pass.trouble).toEqual({ kind: 'too large' });
  first.socket.destroy();
  expect((await ask(proxy, `git.test:${port}`, pass)).status).toBe(403);
});

test('when a host falls silent, then it is let go of', async () => {
  const { port } = await host();
  const proxy = await open(here);
  const pass = proxy.admit({ host: 'git.test', port, max_bytes: 1000, idle_ms: 50 });
  const { socket } = await ask(proxy, `git.test:${port}`, pass);
  await bytesOf(socket);
  expect(pass.trouble).toEqual({ kind: 'idle' });
});

test.each([
  [{ code: 'ENOTFOUND' }, { kind: 'unknown host' }],
  [{ code: 'EAI_AGAIN' }, { kind: 'away', code: 'EAI_AGAIN' }],
])('when the resolver says %j of a name, then the trouble says so', async (error, trouble) => {
  const resolve = () => Promise.reject(Object.assign(new Error('no'), error));
  const proxy = await open({ resolve });
  const pass = proxy.admit({ host: 'nowhere.test', port: 443, max_bytes: 1000 });
  expect((await ask(proxy, 'nowhere.test:443', pass)).status).toBe(502);
  expect(pass.trouble).toEqual(trouble);
});

test('when a host does not listen, then it is away', async () => {
  const { port, ...server } = await startHost(0);
  await server[Symbol.asyncDispose]();
  const proxy = await open(here);
  const pass = proxy.admit({ host: 'git.test', port, max_bytes: 1000 });
  expect((await ask(proxy, `git.test:${port}`, pass)).status).toBe(502);
  expect(pass.trouble).toEqual({ kind: 'away', code: 'ECONNREFUSED' });
});

test('when what comes is no HTTP, then the proxy hangs up', async () => {
  const proxy = await open();
  const socket = connect(proxy.port, '127.0.0.1');
  socket.on('error', () => undefined).write('\0\0\0\r\n\r\n');
  await once(socket, 'close');
  expect(socket.bytesRead).toBe(0);
});
