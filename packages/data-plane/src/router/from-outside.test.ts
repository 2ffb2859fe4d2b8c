import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { useFixturePerTest, useFolderPerTest } from '@roadstead/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ownHosts } from '@roadstead/contracts';
import { createProxy, listen, toNodeListener } from '@roadstead/http';
import { ClaimedHosts } from './claimed-hosts.ts';
import { asFromOutside, overNetwork } from './from-outside.ts';
import type { Router } from './router.ts';

/**
 * Connections that were accepted elsewhere, a router with answers of the test's choice, and a platform behind its
 * socket.
 */

let answer: (request: Request) => Promise<Response>;
const hosts = new ClaimedHosts(ownHosts([]));
hosts.claim('mine', 'https://mine.example.com');

const speak =
  (who: string): Router['onUpgrade'] =>
  (request, socket, head) =>
    new WebSocketServer({ noServer: true }).handleUpgrade(request, socket, head, (spoken) => {
      spoken.on('message', (said: Buffer) => spoken.send(`${who} ${named(request)} ${said.toString()}`));
    });

const named = ({ url, headers }: IncomingMessage) => `${url} ${Object.keys(headers).toSorted().join(' ')}`;

const folder = useFolderPerTest('outside-');
const platform = () => join(folder(), 'platform');
useFixturePerTest(() =>
  listen(
    (request, response) => response.end(`platform: ${request.url} ${JSON.stringify(request.headers)}`),
    { socket: platform() },
    { onUpgrade: speak('platform'), drain_ms: 100 },
  ),
);
const server = useFixturePerTest(() => {
  const back = createProxy({ name: 'platform', at: { socket: platform() } });
  const listener = toNodeListener((request) => answer(request));
  const router = { listener, onUpgrade: speak('agent') };
  return listen(
    () => undefined,
    { socket: join(folder(), 's') },
    { taken: asFromOutside({ router, hosts, back }), drain_ms: 100 },
  );
});
const accepting = useFixturePerTest(async () => {
  const accepting = createServer({ allowHalfOpen: true }, (socket) =>
    server().take({ socket, first: Buffer.alloc(0) }),
  ).listen(0, '127.0.0.1');
  await once(accepting, 'listening');
  const { port } = accepting.address() as AddressInfo;
  // Its connections are the server's: it does not wait for their end.
  return { port, [Symbol.asyncDispose]: async () => void accepting.close() };
});
beforeEach(() => {
  answer = async (request) =>
    Response.json({ headers: Object.fromEntries(request.headers), body: await request.text() });
});

/** A connection that sends given text, byte by byte. */
async function open() {
  const socket: Socket = connectTo({ port: accepting().port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let came = '';
  socket.on('data', (bytes: Buffer) => (came += bytes.toString('latin1')));
  return { socket, came: () => came };
}

const FORGED = [
  'x-roadstead-address: 10.0.0.1',
  'x-roadstead-assertion: forged',
  'x-roadstead-refusal: forged',
].join('\r\n');

test('when a header is for the edge or the connection to say, then it is not heard', async () => {
  const { socket, came } = await open();
  socket.write(
    `POST /agents/mine/x HTTP/1.1\r\nhost: here\r\n${FORGED}\r\nconnection: keep-alive, x-own\r\nx-own: 1\r\nte: trailers\r\n` +
      'x-forwarded-for: 10.0.0.2\r\nexpect: 100-continue\r\ntransfer-encoding: chunked\r\n\r\n',
  );
  await expect.poll(came).toContain('100 Continue');
  socket.write('2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n');
  await expect.poll(came).toContain('"body"');
  expect(JSON.parse(/\{.*\}/.exec(came())?.[0] ?? '')).toEqual({
    headers: { host: 'here', 'x-forwarded-for': '10.0.0.2', 'transfer-encoding': 'chunked' },
    body: 'abcde',
  });
});

test.each([
  ['/v2/deployments', 'here', '/v2/deployments'],
  ['/agents', 'here', '/agents'],
  ['/custom-hosts', 'here', '/custom-hosts'],
  ['http://here/agents/mine/ok', 'here', 'http://here/agents/mine/ok'],
  ['/agents/mine/ok', 'mine.example.com', '/agents/mine/ok'],
  ['/agents/mine/ok', 'MINE.example.com.:80', '/agents/mine/ok'],
])(
  'when %s at %s is no agent’s, then it goes back to the platform, with the client’s address',
  async (target, host, url) => {
    const { socket, came } = await open();
    const asked = `GET ${target} HTTP/1.1\r\nhost: ${host}\r\n${FORGED}\r\nx-forwarded-for: 10.0.0.2\r\n\r\n`;
    // In one write: answers come in the order of the requests.
    socket.write(`GET /agents/mine/a HTTP/1.1\r\nhost: other.example.com\r\n\r\n${asked}`);
    await expect.poll(came).toContain(`platform: ${url} `);
    const headers: unknown = JSON.parse(/platform: \S+ (\{.*\})/.exec(came())?.[1] ?? '');
    expect(headers).toMatchObject({
      host,
      'x-roadstead-address': '127.0.0.1',
      'x-forwarded-for': '10.0.0.2',
    });
    expect(headers).not.toHaveProperty('x-roadstead-assertion');
    expect(headers).not.toHaveProperty('x-roadstead-refusal');
    expect(came().indexOf('other.example.com')).toBeLessThan(came().indexOf('platform: '));
  },
);

test('when a HEAD comes, then its answer has no body, and the connection goes on', async () => {
  const { socket, came } = await open();
  const head = 'HEAD /agents/mine/x HTTP/1.1\r\nhost: here\r\n\r\n';
  answer = async () => new Response('some text', { headers: { 'content-length': '9' } });
  socket.write(head + head.replace('HEAD', 'GET'));
  await expect.poll(came).toContain('some text');
  expect(came().match(/200 OK/g)).toHaveLength(2);
  expect(came().match(/some text/g)).toHaveLength(1);
});

test('when an answer comes before the body was read, then the client gets it, and the next one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { socket, came } = await open();
  answer = async ({ method }) => new Response(method === 'POST' ? 'too much' : 'next');
  socket.write('POST /agents/mine/x HTTP/1.1\r\nhost: here\r\ncontent-length: 10\r\n\r\nhalf ');
  await expect.poll(came).toContain('too much');
  await vi.advanceTimersByTimeAsync(60_000);
  socket.write('more.GET /agents/mine/x HTTP/1.1\r\nhost: here\r\n\r\n');
  await expect.poll(came).toContain('next');
});

test('when streams go both ways, then a client that goes away aborts its request', async () => {
  const aborted = Promise.withResolvers<void>();
  answer = async (request) => {
    request.signal.addEventListener('abort', () => aborted.resolve());
    return new Response(request.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>()));
  };
  const { socket, came } = await open();
  socket.write('POST /agents/mine/x HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n');
  for (const said of ['one', 'two', 'six']) {
    socket.write(`3\r\n${said}\r\n`);
    await expect.poll(came).toContain(said);
  }
  socket.destroy();
  await aborted.promise;
});

test.each([
  ['/agents/mine/chat', 'here', 'agent'],
  ['/agents/mine/chat', 'mine.example.com', 'platform'],
  ['/elsewhere', 'here', 'platform'],
])('when a WebSocket is for %s of %s, then it is taken up by the %s', async (path, host, who) => {
  const headers = { host, 'x-roadstead-assertion': 'forged', 'x-roadstead-address': '10.0.0.1' };
  const socket = new WebSocket(`ws://127.0.0.1:${accepting().port}${path}`, { headers });
  await once(socket, 'open');
  socket.send('hello');
  const [said] = (await once(socket, 'message')) as [Buffer];
  expect(said.toString()).toMatch(new RegExp(`^${who} ${path} .* hello$`));
  expect(said.toString()).not.toContain('x-roadstead');
  socket.close();
  await once(socket, 'close');
});

test('when there is no edge, then agents are called as from outside, and /ok is there', async () => {
  const listener = toNodeListener((request) => answer(request));
  const direct = overNetwork({ listener, onUpgrade: speak('agent') });
  const at = { host: '', port: 0 };
  await using own = await listen(direct.listener, at, { onUpgrade: direct.onUpgrade, drain_ms: 100 });
  const url = `http://127.0.0.1:${own.port}`;
  const statusOf = async (path: string) => (await fetch(url + path)).status;
  expect(await Promise.all(['/ok', '/v2/deployments', '/custom-hosts'].map(statusOf))).toEqual([
    200, 404, 404,
  ]);
  const headers = { 'x-roadstead-assertion': 'forged', 'x-roadstead-address': '10.0.0.1', 'x-own': '1' };
  const called = await fetch(`${url}/agents/mine/x`, { method: 'POST', headers, body: 'ab' });
  const { headers: heard, body } = (await called.json()) as { headers: Record<string, string>; body: string };
  // The router verifies it.
  expect([heard['x-roadstead-assertion'], heard['x-own'], body]).toEqual(['forged', '1', 'ab']);
  expect(heard).not.toHaveProperty('x-roadstead-address');
  const socket = new WebSocket(`${url.replace('http', 'ws')}/agents/mine/ws`, { headers });
  await once(socket, 'open');
  socket.send('hello');
  const [said] = (await once(socket, 'message')) as [Buffer];
  expect(said.toString()).toMatch(/^agent \/agents\/mine\/ws (?!.*x-roadstead-address).* hello$/);
  socket.terminate();
});
