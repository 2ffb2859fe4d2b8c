import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { listen, refuseUpgrade, toNodeListener, toResponse } from '@roadstead/http';
import type { Problem } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { openAgent } from '../../packages/agent-server/src/testing/open-agent.ts';
import { pythonRevision } from '../support/python-revision.ts';

/** WebSockets of a project's own app in Python, by the client of `ws`, against a real agent server. */

const folder = fileURLToPath(new URL('./agents/web', import.meta.url));
const never = () => new AbortController().signal;

const serving = useFixture(serveWeb);

async function serveWeb(http: { readonly enable_custom_route_auth?: boolean } = {}) {
  await using stack = new AsyncDisposableStack();
  const agent = stack.use(await openAgent({ min_hosts: 1 }));
  const revision = pythonRevision(folder);
  const spec = { ...revision, project: { ...revision.project, http: { ...revision.project.http, ...http } } };
  await agent.server.prepare(spec, never());
  await agent.server.activate(spec.revision_id, never());
  const server = stack.use(
    await listen(
      toNodeListener((request) => agent.fetch(request)),
      { host: '127.0.0.1', port: 0 },
      {
        drain_ms: 100,
        onUpgrade: (request, socket, head) => {
          const path = new URL(request.url ?? '', 'http://x').pathname;
          const known = request.headers['x-known'] === undefined ? {} : { assertion: agent.assertion() };
          agent.server
            .upgrade(request, { socket, head, inward: async () => ({ path, ...known }) })
            .catch((problem: Problem) => toResponse(problem, 'detail'))
            .then((refusal) => refusal && refuseUpgrade(socket, refusal))
            .catch(() => socket.destroy());
        },
      },
    ),
  );
  const kept = stack.move();
  return { agent, port: server.port, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** A client of `ws`, with what it heard. */
function connect(path: string, { port = serving().port, protocols = [] as string[], headers = {} } = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers });
  onTestFinished(() => socket.terminate());
  const heard: (string | Buffer)[] = [];
  socket.on('message', (data: Buffer, isBinary) => heard.push(isBinary ? data : data.toString()));
  const closed = new Promise<[number, string]>((resolve) => {
    socket.on('close', (code, reason) => resolve([code, reason.toString()]));
  });
  socket.on('error', () => undefined);
  const opened = new Promise<string>((resolve) => {
    socket.on('open', () => resolve('open'));
    socket.on('unexpected-response', (_request, response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve(`${response.statusCode} ${Buffer.concat(pieces).toString()}`));
    });
  });
  return { socket, heard, closed, opened };
}

const seen = async () =>
  (await (await serving().agent.ask('/seen')).json()) as { sent: number; ended: number[] };

test('when anybody opens a WebSocket of the app, then it speaks with the app, and sees no key', async () => {
  const headers = { 'x-api-key': `rs_${'k'.repeat(43)}`, 'x-mine': 'yes' };
  const { socket, heard, opened, closed } = connect('/live/ann?word=hi', { protocols: ['chat'], headers });
  expect(await opened).toBe('open');
  expect(socket.protocol).toBe('chat');
  await expect.poll(() => heard).toHaveLength(1);
  expect(JSON.parse(String(heard[0]))).toEqual({
    name: 'ann',
    word: 'hi',
    url: 'ws://roadstead.test/live/ann?word=hi',
    'x-api-key': null,
    'x-forwarded-prefix': '/agents/agent',
    'x-mine': 'yes',
  });
  socket.send('ü'.repeat(300_000));
  socket.send(Buffer.alloc(3_000_000, 7));
  await expect.poll(() => heard).toHaveLength(3);
  expect([heard[1], (heard[2] as Buffer).equals(Buffer.alloc(3_000_000, 7))]).toEqual([
    'ü'.repeat(300_000),
    true,
  ]);
  socket.send('close');
  expect(await closed).toEqual([4001, 'as you like']);
});

test('when the client closes or is gone, then the app hears how', async () => {
  const first = connect('/live/a');
  await first.opened;
  first.socket.close(4100, 'bye');
  expect(await first.closed).toEqual([4100, '']);
  const second = connect('/live/b');
  await second.opened;
  second.socket.terminate();
  await expect.poll(async () => (await seen()).ended.slice(-2)).toEqual([4100, 1006]);
});

test('when a message is too large, then the connection ends with its code', async () => {
  const { socket, opened, closed } = connect('/live/a');
  await opened;
  socket.send(Buffer.alloc(16 * 1024 * 1024 + 1));
  expect((await closed)[0]).toBe(1009);
});

test('when a client does not read, then the app waits', async () => {
  const { socket, opened } = connect('/endless');
  await opened;
  (socket as unknown as { readonly _socket: Socket })._socket.pause();
  let before = -1;
  await expect
    .poll(
      async () => {
        const { sent } = await seen();
        const rests = sent === before && sent > 0;
        before = sent;
        return rests;
      },
      { interval: 200 },
    )
    .toBe(true);
  expect(before).toBeLessThan(32_000_000);
});

test.each([
  ['/closed', /^418 not today$/],
  ['/silent', /^403 $/],
  ['/answered/200', /^403 $/],
  ['/answered/304', /^304 $/],
  ['/nowhere', /^404 .*No WebSocket is served at \/nowhere/],
  [`/threads/${crypto.randomUUID()}/stream/events`, /^401 .*API key/],
])('when a WebSocket is opened at %s by nobody known, then it is refused', async (path, words) => {
  expect(await connect(path).opened).toMatch(words);
});

test('when the project wants to know callers of its app, then of WebSockets, too', async () => {
  await using other = await serveWeb({ enable_custom_route_auth: true });
  expect(await connect('/live/a', other).opened).toMatch(/^401 .*API key/);
  const known = connect('/live/a', { ...other, headers: { 'x-known': 'yes' } });
  expect(await known.opened).toBe('open');
  expect(await (await other.agent.ask('/openapi.json')).text()).not.toContain('/rated/');
});

test('when the agent server stops, then clients are told to come back, at once', async () => {
  const other = await serveWeb();
  await using _other = other;
  const { opened, closed, heard } = connect('/live/a', other);
  await opened;
  await expect.poll(() => heard).toHaveLength(1);
  const began = performance.now();
  const stopped = other.agent.server[Symbol.asyncDispose]();
  expect((await closed)[0]).toBe(1012);
  await stopped;
  expect(performance.now() - began).toBeLessThan(9000);
});
