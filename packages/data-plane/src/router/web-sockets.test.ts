import { expect, test } from 'vitest';
import type { CallerContext } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import type { RunningDeployment } from '../ports/runtime.ts';
import { speakWebSocket, useRouter } from '../testing/router-fixture.ts';
import { openCors } from './cors-rules.ts';

/** WebSockets of agents, as they pass the router. */

const { router, server } = useRouter();

function serveBy(upgrade: RunningDeployment['upgrade']): void {
  const route = router().routes.get('mine');
  if (route === undefined) throw new Error('There is no route.');
  router().routes.set('mine', { ...route, running: { ...route.running, upgrade } });
}

test('when a verified caller opens a WebSocket, then it reaches the deployment without cookies', async () => {
  const { socket, opened } = router().connect('/agents/mine/chat?x=1', { 'x-api-key': 'k', cookie: 'a=b' });
  expect(await opened).toBe(101);
  const answered = new Promise<string>((resolve) =>
    socket.on('message', (text: Buffer) => resolve(text.toString())),
  );
  socket.send('hello');
  expect(await answered).toBe('/chat no cookie hello');
  socket.close();
});

test.each([
  ['/agents/nobody/chat', {}, 401],
  ['/agents/nobody/chat', { 'x-api-key': 'k' }, 404],
  ['/agents/lost/chat', { 'x-api-key': 'k' }, 503],
  ['/agents/mute/chat', { 'x-api-key': 'k' }, 501],
])('when a WebSocket is for %s with %j, then it is %i', async (path, headers, status) => {
  expect(await router().connect(path, headers).opened).toBe(status);
});

test('when nobody known opens a WebSocket, then the deployment decides what to answer', async () => {
  expect(await router().connect('/agents/mine/chat', {}).opened).toBe(401);
  const inwards: CallerContext[] = [];
  serveBy(async (request, connection) => {
    inwards.push(await connection.inward());
    if (request.url?.endsWith('/closed') === true) return new Response('not today', { status: 418 });
    return speakWebSocket(request, connection);
  });
  expect(await router().connect('/agents/mine/open', {}).opened).toBe(101);
  expect(await router().connect('/agents/mine/closed', {}).opened).toBe(418);
  expect(inwards).toEqual([{ path: '/open' }, { path: '/closed' }]);
});

test.each([
  ['https://app.example.com', 101],
  ['https://evil.example.com', 403],
  ['null', 403],
  ['http://localhost', 101],
])('when pages of one origin may call, then a WebSocket of %s is %i', async (origin, status) => {
  router().policy = { verifies: true, cors: { ...openCors, allow_origins: ['https://app.example.com'] } };
  expect(await router().connect('/agents/mine/chat', { 'x-api-key': 'k', origin }).opened).toBe(status);
});

test('when pages may call, then those of any origin may do so by WebSocket', async () => {
  expect(
    await router().connect('/agents/mine/chat', { 'x-api-key': 'k', origin: 'https://any.example' }).opened,
  ).toBe(101);
});

test('when a WebSocket is open, then who calls is asked for again', async () => {
  const inwards: CallerContext[] = [];
  serveBy(async (request, connection) => {
    inwards.push(await connection.inward());
    router().identityStatus = 401;
    router().now += 30_001;
    inwards.push(await connection.inward());
    return speakWebSocket(request, connection);
  });
  expect(await router().connect('/agents/mine/chat').opened).toBe(101);
  expect(inwards).toEqual([
    { path: '/chat', assertion: 'signed:k' },
    { path: '/chat', refused: expect.any(Problem) as Problem },
  ]);
});

test('when a protocol is not WebSocket, then it is not taken up, and the call is answered', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'h2c' };
  expect((await router().call('/agents/mine/ok', { headers })).status).toBe(200);
});

test('when WebSockets end, then their places are free, and they end with the router', async () => {
  const open = [
    router().connect('/agents/mine/a'),
    router().connect('/agents/mine/b'),
    router().connect('/agents/mine/c'),
  ];
  expect(await Promise.all(open.map(({ opened }) => opened))).toEqual([101, 101, 101]);
  expect(await router().connect('/agents/mine/d').opened).toBe(503);
  open[0]?.socket.terminate();
  await expect.poll(() => router().connect('/agents/mine/e').opened).toBe(101);
  const closed = new Promise((resolve) => open[1]?.socket.on('close', resolve));
  await server()[Symbol.asyncDispose]();
  await closed;
});
