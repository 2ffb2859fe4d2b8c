import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { descriptors, NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import { HostHttp, serveLoopback } from '../../packages/agent-server/src/hosts/host-http.ts';
import { texts } from '../../packages/graph-host/src/testing/host-process.ts';
import { runOf, startHost } from './host.ts';

/** The own auth, app and embedder of a project. */

const host = useFixture(() => startHost('web'));
const http = useFixture(async () => {
  const connection = (descriptor: number) => (host().child.stdio as readonly unknown[])[descriptor] as Duplex;
  const opened = new HostHttp(Promise.resolve(connection(descriptors.app)));
  serveLoopback(connection(descriptors.loopback), async (request) =>
    Response.json({ path: new URL(request.url).pathname }),
  );
  await host().peer.ask('describe', {});
  return opened;
});

const get = (path: string, init: RequestInit = {}) =>
  http().fetch(new Request(`https://agents.example${path}`, init));
const head = (headers: readonly (readonly [string, string])[]) => ({
  method: 'GET',
  url: '/threads',
  headers,
});

test('when a project has auth and an app, then the manifest tells what they decide and serve', async () => {
  const { result } = await host().peer.ask('describe', {});
  expect(result.auth?.handlers.toSorted()).toEqual(['assistants:read', 'threads']);
  expect(result.app).toBeDefined();
  const routes = result.app?.routes ?? [{ method: 'GET', path: '/hello' }];
  expect(routes).toContainEqual({ method: 'GET', path: '/hello' });
});

test('when somebody is known, then authenticate answers the user', async () => {
  const { result } = await host().peer.ask('authenticate', head([['authorization', 'Bearer sesame']]));
  expect(result).toMatchObject({ user: { identity: 'ali', permissions: ['read'] } });
});

test('when somebody is not known, then authenticate answers the refusal', async () => {
  const { result } = await host().peer.ask('authenticate', head([]));
  expect(result).toMatchObject({ refused: { status: 401, message: 'Who are you?' } });
});

const user = { identity: 'ali', permissions: ['read'] };

test('when a handler gives filters, then they come with what is allowed', async () => {
  const question = { user, resource: 'threads', action: 'search', value: { limit: 3 } } as const;
  const { result } = await host().peer.ask('authorize', question);
  expect(result).toEqual({ allowed: true, filters: { owner: 'ali' }, value: { limit: 3 } });
});

test('when a handler refuses, then authorize answers a status', async () => {
  const question = { user, resource: 'assistants', action: 'read', value: {} } as const;
  const { result } = await host().peer.ask('authorize', question);
  expect(result).toMatchObject({ allowed: false, status: 403 });
});

test('when no handler decides, then everything is allowed', async () => {
  const question = { user, resource: 'crons', action: 'read', value: { a: 1 } } as const;
  const { result } = await host().peer.ask('authorize', question);
  expect(result).toEqual({ allowed: true, filters: null, value: { a: 1 } });
});

test('when a run has a user, then its graph sees who it is', async () => {
  expect(texts((await host().run(runOf('echo', { user }))).events)).toEqual(['ali']);
});

test('when texts are embedded, then each has its vector', async () => {
  const { result } = await host().peer.ask('embed', { texts: ['hello', 'rhythm'] });
  expect(result.vectors).toEqual([
    [5, 2, 1],
    [6, 0, 1],
  ]);
});

test('when a project names no embedder, auth or app, then their questions are errors', async () => {
  await using other = startHost('graphs');
  await expect(other.peer.ask('embed', { texts: ['x'] })).rejects.toThrow(/\S/);
  await expect(other.peer.ask('authenticate', head([]))).rejects.toThrow(/\S/);
});

test('when the app is asked, then it answers over its own connection', async () => {
  const answer = await get('/hello?name=ada');
  expect([answer.status, await answer.json()]).toEqual([200, { hello: 'ada' }]);
});

test('when a body is sent to the app, then it is streamed there and back', async () => {
  const body = 'x'.repeat(1_000_000);
  const answer = await get('/echo', { method: 'POST', body });
  expect((await answer.text()).length).toBe(body.length);
});

test('when the app has nothing at an address, then the answer says that it is not served', async () => {
  const answer = await get('/nowhere');
  await answer.body?.cancel();
  expect(answer.headers.has(NOT_SERVED_HEADER)).toBe(true);
});

test('when the app asks its own deployment, then the engine answers', async () => {
  expect(await (await get('/own')).text()).toBe('{"path":"/info"}');
});

test('when a host speaks WebSocket, then its app takes one up, or says at once that it has none', async () => {
  const connect = async (path: string) =>
    http()
      .connect(new Request(`https://agents.example${path}`))
      .catch(({ kind }: { readonly kind: string }) => kind);
  const opened = await connect('/live');
  if (opened === 'not_implemented') return;
  if (typeof opened === 'string' || opened instanceof Response) throw new Error('It is refused.');
  // A text of one letter, which is masked by zeros.
  opened.stream.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 97]));
  const [frame] = (await once(opened.stream, 'data')) as [Buffer];
  expect([...frame]).toEqual([0x81, 1, 97]);
  opened.stream.end();
  const refused = await connect('/nowhere');
  if (!(refused instanceof Response)) throw new Error('It is taken up.');
  expect([refused.status, refused.headers.has(NOT_SERVED_HEADER)]).toEqual([404, true]);
});
