import { once } from 'node:events';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { useFixturePerTest, useFolderPerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { createClient, ownHosts, type Principal } from '@roadstead/contracts';
import { identity } from '@roadstead/contracts/identity';
import { type CallerContext, listen } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { createCredentials } from '@roadstead/service';
import { WebSocket, WebSocketServer } from 'ws';
import type { RoutePolicy, RunningDeployment } from '../ports/runtime.ts';
import { ClaimedHosts } from './claimed-hosts.ts';
import { openCors } from './cors-rules.ts';
import { createRouter, type RouterOptions } from './router.ts';
import { Routes } from './routes.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
interface ReceivedRequest {
  readonly request: Request;
  readonly inward: CallerContext;
  readonly body: string;
}

/** Headers of every answer below `/agents`. */
const fenced = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

let routes: Routes;
let seen: ReceivedRequest[];
let asked: { credential: string; workspace_id?: string }[];
let identityStatus: number;
let expires_in_ms: number;
let now: number;
let answer: (request: Request) => Promise<Response>;
const limits = { all: 10, per_deployment: 3 };
const principal: Principal = { workspace_id: 'w', actor: 'key:test', scopes: ['agents:invoke'] };
let caller: Principal | undefined;
let policy: RoutePolicy;

const folder = useFolderPerTest('router-');
beforeEach(() => {
  routes = new Routes();
});
const hosts = useFixturePerTest(() => new ClaimedHosts(ownHosts([])));
beforeEach(() => {
  seen = [];
  asked = [];
  identityStatus = 200;
  expires_in_ms = 60_000;
  now = 1_000_000;
  answer = async () => Response.json({ ok: true });
});
const client = useFixturePerTest(() =>
  createClient(identity, {
    base_url: 'http://identity.invalid',
    fetch: async (request) => {
      const body = (await request.json()) as (typeof asked)[number];
      asked.push(body);
      return identityStatus === 200
        ? Response.json({
            assertion: `signed:${body.credential}`,
            expires_at: new Date(now + expires_in_ms).toISOString(),
          })
        : Response.json({ detail: 'no' }, { status: identityStatus });
    },
  }),
);
beforeEach(() => {
  const mute = {
    prepare: () => Promise.reject(new Error('unused')),
    restore: () => undefined,
    activate: async () => undefined,
    retire: async () => undefined,
    hosts: () => 0,
    kill: () => undefined,
    routePolicy: () => policy,
    fetch: async (request: Request, inward: CallerContext) => {
      seen.push({ request, inward, body: request.method === 'GET' ? '' : await request.clone().text() });
      return answer(request);
    },
    upgrade: () => Promise.reject(new Problem('not_implemented', 'Nothing here speaks WebSocket.')),
    [Symbol.asyncDispose]: async () => undefined,
  };
  const running = { ...mute, upgrade: speakWebSocket };
  routes.set('mine', { deployment_id: 'd', workspace_id: 'w', running });
  routes.set('mute', { deployment_id: 'm', workspace_id: 'w', running: mute });
  routes.set('other', { deployment_id: 'o', workspace_id: 'w', running });
  routes.fail('lost');
  routes.markReady();
  caller = principal;
  policy = { verifies: true, cors: null };
});
const server = useFixturePerTest(() => {
  const { listener, onUpgrade } = routerOf({ routes, credentials: createCredentials(client(), () => now) });
  return listen(listener, { socket: join(folder(), 's') }, { drain_ms: 100, onUpgrade });
});

const routerOf = (options: Pick<RouterOptions, 'routes' | 'credentials' | 'coming_back_ms'>) =>
  createRouter({ ...options, hosts: hosts(), verify: () => caller, limits });

function call(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string; socketPath?: string } = {},
) {
  return new Promise<Answer>((resolve, reject) => {
    const { body, ...rest } = options;
    const sent = httpRequest({ socketPath: join(folder(), 's'), path, ...rest }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

/** A runtime whose deployment echoes each message, with the path it came to. */
const speakWebSocket: RunningDeployment['upgrade'] = async (request, { socket, head, inward }) => {
  const { path } = await inward();
  const speaker = new WebSocketServer({ noServer: true });
  speaker.handleUpgrade(request, socket, head, (spoken) => {
    spoken.on('message', (text: Buffer) => {
      spoken.send(`${path} ${request.headers.cookie ?? 'no cookie'} ${text.toString()}`);
    });
  });
};

function connect(path: string, headers: Record<string, string> = { 'x-api-key': 'k' }) {
  const socket = new WebSocket(`ws+unix://${join(folder(), 's')}:${path}`, { headers });
  const opened = new Promise<number>((resolve) => {
    socket.on('open', () => resolve(101));
    socket.on('error', () => resolve(0));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
  return { socket, opened };
}

test('when a verified caller opens a WebSocket, then it reaches the deployment without cookies', async () => {
  const { socket, opened } = connect('/agents/mine/chat?x=1', { 'x-api-key': 'k', cookie: 'a=b' });
  expect(await opened).toBe(101);
  const answered = new Promise<string>((resolve) =>
    socket.on('message', (text: Buffer) => resolve(text.toString())),
  );
  socket.send('hello');
  expect(await answered).toBe('/chat no cookie hello');
  socket.close();
});

test.each([
  ['/agents/mine/chat', {}, undefined, 401],
  ['/agents/mine/chat?key=k', {}, undefined, 401],
  ['/agents/mine/chat', { 'x-api-key': 'k' }, { ...principal, scopes: ['traces:read' as const] }, 403],
  ['/agents/mine/chat', { 'x-api-key': 'k' }, { ...principal, workspace_id: 'another' }, 404],
  ['/agents/nobody/chat', { 'x-api-key': 'k' }, principal, 404],
  ['/agents/lost/chat', { 'x-api-key': 'k' }, principal, 503],
  ['/agents/mute/chat', { 'x-api-key': 'k' }, principal, 501],
])('when a WebSocket is for %s with %j, as %j, then it is %i', async (path, headers, who, status) => {
  caller = who;
  expect(await connect(path, headers).opened).toBe(status);
});

test.each([
  ['https://app.example.com', 101],
  ['https://evil.example.com', 403],
  ['null', 403],
  ['http://localhost', 101],
])('when pages of one origin may call, then a WebSocket of %s is %i', async (origin, status) => {
  policy = { verifies: true, cors: { ...openCors, allow_origins: ['https://app.example.com'] } };
  expect(await connect('/agents/mine/chat', { 'x-api-key': 'k', origin }).opened).toBe(status);
});

test('when pages may call, then those of any origin may do so by WebSocket', async () => {
  expect(await connect('/agents/mine/chat', { 'x-api-key': 'k', origin: 'https://any.example' }).opened).toBe(
    101,
  );
});

test('when a WebSocket is open, then who calls is asked for anew', async () => {
  const inwards: CallerContext[] = [];
  const route = routes.get('mine');
  if (route === undefined) throw new Error('There is no route.');
  const upgrade: RunningDeployment['upgrade'] = async (request, connection) => {
    inwards.push(await connection.inward());
    identityStatus = 401;
    now += 30_001;
    inwards.push(await connection.inward());
    await speakWebSocket(request, connection);
  };
  routes.set('mine', { ...route, running: { ...route.running, upgrade } });
  expect(await connect('/agents/mine/chat').opened).toBe(101);
  expect(inwards).toEqual([
    { path: '/chat', assertion: 'signed:k' },
    { path: '/chat', refused: expect.any(Problem) as Problem },
  ]);
});

test('when a protocol is not WebSocket, then it is not taken up, and the call is answered', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'h2c' };
  expect((await call('/agents/mine/ok', { headers })).status).toBe(200);
});

test('when WebSockets end, then their places are free, and they end with the router', async () => {
  const open = [connect('/agents/mine/a'), connect('/agents/mine/b'), connect('/agents/mine/c')];
  expect(await Promise.all(open.map(({ opened }) => opened))).toEqual([101, 101, 101]);
  expect(await connect('/agents/mine/d').opened).toBe(503);
  open[0]?.socket.terminate();
  await expect.poll(() => connect('/agents/mine/e').opened).toBe(101);
  const closed = new Promise((resolve) => open[1]?.socket.on('close', resolve));
  await server()[Symbol.asyncDispose]();
  await closed;
});

test('when a deployment has too many calls, then more are refused, in the dialect; others go on', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  answer = async (request) => {
    if (request.url.includes('hold')) await held;
    return Response.json({ ok: true });
  };
  const waiting = ['mine', 'mine', 'mine'].map((slug) => call(`/agents/${slug}/hold`));
  await expect.poll(() => seen.length).toBe(3);
  const refused = await call('/agents/mine/a2a/agent', { method: 'POST', body: '{}' });
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2']);
  expect(JSON.parse(refused.text)).toMatchObject({ jsonrpc: '2.0', error: {} });
  expect(refused.headers).toMatchObject(fenced);
  expect((await call('/agents/other/ok')).status).toBe(200);
  waiting.push(call('/agents/other/hold'), call('/agents/other/hold'));
  await expect.poll(() => seen.length).toBe(6);
  expect((await call('/agents/mute/ok')).status).toBe(503);
  release();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await call('/agents/mine/ok')).status).toBe(200);
});

test('when a router stops, then it refuses new calls with when to try again', async () => {
  routes.stop();
  const stopped = await call('/agents/mine/a2a/agent', {
    method: 'POST',
    body: '{}',
    headers: { 'x-api-key': 'k' },
  });
  expect([stopped.status, stopped.headers['retry-after']]).toEqual([503, '5']);
  expect(JSON.parse(stopped.text)).toMatchObject({ jsonrpc: '2.0' });
});

test('when the edge asks, then it learns at which hosts deployments answer', async () => {
  hosts().claim('mine', 'https://mine.example.com');
  const { status, text } = await call('/custom-hosts');
  expect([status, JSON.parse(text)]).toEqual([200, { hosts: { 'mine.example.com': 'mine' } }]);
});

test('when a call comes, then the path below the name, the query and the body arrive', async () => {
  await call('/agents/mine/a2a/one?x=1', { method: 'POST', body: 'hello' });
  expect(seen[0]?.inward.path).toBe('/a2a/one');
  expect(new URL(seen[0]?.request.url ?? '').search).toBe('?x=1');
  expect(seen[0]?.body).toBe('hello');
  await call('/agents/mine');
  expect(seen[1]?.inward.path).toBe('/');
});

test('when a name is unknown, then it is 404 as JSON, as for another workspace’s deployment', async () => {
  const { status, text } = await call('/agents/nobody/ok', { headers: { 'x-api-key': 'k' } });
  expect(status).toBe(404);
  expect(JSON.parse(text)).toEqual({ detail: 'No deployment answers here (not found).' });
});

test.each([
  ['POST', '/a2a/agent', 401],
  ['GET', '/.well-known/agent-card.json', 401],
  ['GET', '/ok', 401],
  ['GET', '/a2a/agent', 405],
  ['GET', '/page', 404],
])(
  'when a key is not valid, then %s %s of an unknown name is %i, as of a known one',
  async (method, path, status) => {
    const body = method === 'POST' ? { body: '{}' } : {};
    expect((await call(`/agents/nobody${path}`, { method, ...body })).status).toBe(status);
    expect((await call(`/agents/lost${path}`, { method, ...body })).status).toBe(status);
    identityStatus = 401;
    const headers = { 'x-api-key': 'bad' };
    expect((await call(`/agents/nobody${path}`, { method, headers, ...body })).status).toBe(status);
    const a2a = await call('/agents/nobody/a2a/agent', { method: 'POST', body: '{}' });
    expect([a2a.headers['www-authenticate'], JSON.parse(a2a.text)]).toMatchObject([
      expect.stringContaining('Bearer'),
      { jsonrpc: '2.0', error: {} },
    ]);
  },
);

test('when deployments come back after a start, then no caller without a valid key is held', async () => {
  routes = new Routes();
  const { listener } = routerOf({
    routes,
    credentials: { inward: async () => ({}), forget: () => undefined },
  });
  await using starting = await listen(listener, { socket: join(folder(), 'starting') }, { drain_ms: 100 });
  expect(starting).toBeDefined();
  const answered = await call('/agents/mine/a2a/x', {
    method: 'POST',
    socketPath: join(folder(), 'starting'),
  });
  expect([answered.status, answered.headers['retry-after']]).toEqual([503, '5']);
});

test('when a deployment is still coming back, then it is waited for', async () => {
  const late = new Routes();
  const route = await routes.find('mine', 0, AbortSignal.timeout(1000));
  const waiting = late.find('mine', 5000, AbortSignal.timeout(5000));
  if (route !== undefined) late.set('mine', route);
  expect(await waiting).toBe(route);
});

test('when there is no key, then nothing is asked, and public paths are reached', async () => {
  expect((await call('/agents/mine/ok')).status).toBe(200);
  expect(asked).toEqual([]);
  expect(seen[0]?.inward.assertion).toBeUndefined();
});

test.each([
  [{ 'x-api-key': 'k1' }, 'k1'],
  [{ authorization: 'Bearer k2' }, 'k2'],
  [{ 'x-api-key': 'k3', authorization: 'Bearer other' }, 'k3'],
])('when a credential is in %j, then it is verified once in 30 s', async (headers, credential) => {
  await call('/agents/mine/info', { headers });
  await call('/agents/mine/info', { headers });
  expect(asked).toHaveLength(1);
  expect(seen[1]?.inward.assertion).toBe(`signed:${credential}`);
  now += 30_001;
  await call('/agents/mine/info', { headers });
  expect(asked).toHaveLength(2);
});

test('when a reader is gone, then its stream hears that, also after memory was collected', async () => {
  setFlagsFromString('--expose-gc');
  let over: AbortSignal | undefined;
  answer = async ({ signal }) => {
    over = signal;
    return new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) }));
  };
  const reader = httpRequest({
    socketPath: join(folder(), 's'),
    path: '/agents/mine/s',
    headers: { cookie: 'a=b' },
  });
  await once(reader.end(), 'response');
  seen.length = 0;
  await new Promise(setImmediate);
  runInNewContext('gc')();
  setFlagsFromString('--no-expose-gc');
  reader.destroy();
  await expect.poll(() => over?.aborted).toBe(true);
});

test('when an assertion ends soon, then it is asked for anew while it still holds', async () => {
  expires_in_ms = 12_000;
  const headers = { 'x-api-key': 'k' };
  await call('/agents/mine/info', { headers });
  now += 6999;
  await call('/agents/mine/info', { headers });
  expect(asked).toHaveLength(1);
  now += 1;
  await call('/agents/mine/info', { headers });
  expect(asked).toHaveLength(2);
});

test('when the same key is for another workspace, then it is another question', async () => {
  await call('/agents/mine/info', { headers: { 'x-api-key': 'k', 'x-tenant-id': 'w1' } });
  await call('/agents/mine/info', { headers: { 'x-api-key': 'k', 'x-tenant-id': 'w2' } });
  expect(asked.map(({ workspace_id }) => workspace_id)).toEqual(['w1', 'w2']);
});

test('when a key is refused, then that is remembered for 5 s; that identity is away is not', async () => {
  identityStatus = 401;
  const headers = { 'x-api-key': 'bad' };
  await call('/agents/mine/info', { headers });
  await call('/agents/mine/info', { headers });
  expect(asked).toHaveLength(1);
  expect(seen[1]?.inward.refused?.kind).toBe('unauthenticated');
  now += 5001;
  identityStatus = 503;
  await call('/agents/mine/info', { headers });
  expect(seen[2]?.inward.refused?.kind).toBe('unavailable');
  identityStatus = 200;
  await call('/agents/mine/info', { headers });
  expect(seen[3]?.inward.assertion).toBe('signed:bad');
});

const ofOrigin = {
  'clear-site-data': '"*"',
  'strict-transport-security': 'max-age=9',
  'report-to': '{}',
  'service-worker-allowed': '/',
  'set-cookie': 'a=b',
};

test.each(['text/html', 'image/svg+xml', 'application/xml', 'application/json', ''])(
  'when an answer is of type "%s", then it is sandboxed, and settles nothing for its origin',
  async (type) => {
    answer = async () => {
      const headers = { ...ofOrigin, ...(type === '' ? {} : { 'content-type': type }) };
      return new Response(new TextEncoder().encode('<p>'), { headers });
    };
    const { headers, text } = await call('/agents/mine/page');
    expect(text).toBe('<p>');
    for (const name of Object.keys(ofOrigin)) expect(headers[name]).toBeUndefined();
    expect(headers).toMatchObject(fenced);
  },
);

test.each(['/agents/nobody/a2a/x', '/agents/nobody/page', '/agents/lost/ok'])(
  'when a call of %s is refused, then that is fenced like an answer',
  async (path) => {
    for (const headers of [{}, { 'x-api-key': 'k' }])
      expect((await call(path, { headers })).headers).toMatchObject(fenced);
  },
);

test('when deployments are brought back after a start, then an unknown name is 503, not 404', async () => {
  routes = new Routes();
  const { listener } = routerOf({
    routes,
    credentials: { inward: async () => ({ assertion: 'signed' }), forget: () => undefined },
    coming_back_ms: 0,
  });
  await using starting = await listen(listener, { socket: join(folder(), 'starting') }, { drain_ms: 100 });
  expect(starting).toBeDefined();
  const ask = () => call('/agents/mine/ok', { socketPath: join(folder(), 'starting') });
  const early = await ask();
  expect([early.status, early.headers['retry-after']]).toEqual([503, '5']);
  routes.markReady();
  expect((await ask()).status).toBe(404);
});

test.each(['GET', 'POST'])(
  'when a %s has a forged assertion and cookies, then they stay outside',
  async (method) => {
    const headers = { 'x-roadstead-assertion': 'forged', cookie: 'session=1' };
    const body = method === 'POST' ? { body: 'kept' } : {};
    await call('/agents/mine/page', { method, headers, ...body });
    expect(seen[0]?.request.headers.get('x-roadstead-assertion')).toBeNull();
    expect(seen[0]?.request.headers.get('cookie')).toBeNull();
    expect(seen[0]?.inward.assertion).toBeUndefined();
    expect(seen[0]?.body).toBe(body.body ?? '');
  },
);

test('when a stream is read, then it comes piece by piece, and a client that goes away aborts it', async () => {
  const aborted = Promise.withResolvers<void>();
  answer = async (request) => {
    request.signal.addEventListener('abort', () => aborted.resolve());
    const first = new TextEncoder().encode('data: 1\n\n');
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(first) });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  await new Promise<void>((resolve, reject) => {
    const sent = httpRequest({ socketPath: join(folder(), 's'), path: '/agents/mine/stream' }, (response) => {
      response.once('data', (chunk: Buffer) => {
        expect(chunk.toString()).toBe('data: 1\n\n');
        response.on('error', () => undefined);
        sent.destroy();
        resolve();
      });
    });
    sent.on('error', reject).end();
  });
  await aborted.promise;
});

test('when a deployment can’t be brought back, then it is said to be unavailable', async () => {
  const key = { headers: { 'x-api-key': 'k' } };
  const { status, headers, text } = await call('/agents/lost/page', key);
  expect([status, headers['retry-after']]).toEqual([503, '10']);
  expect(text).toContain('can’t be restored');
  expect((await call('/agents/nowhere/page', key)).status).toBe(404);
});

test('when the workspace header is empty, then it names none; a key sent twice counts once', async () => {
  const headers = { 'x-api-key': 'k, k', 'x-tenant-id': '' };
  await call('/agents/mine/info', { headers });
  expect(asked).toEqual([{ credential: 'k', audience: 'agent-server' }]);
});

const page = 'https://app.example';
const preflight = { origin: page, 'access-control-request-method': 'POST' };

test.each(['/agents/mine/threads', '/agents/nobody/threads', '/agents/lost/threads', '/agents/mine'])(
  'when a browser asks if it may call %s, then it needs no key, and no deployment is asked',
  async (path) => {
    const asking = { ...preflight, 'access-control-request-headers': 'x-api-key' };
    const { status, headers } = await call(path, { method: 'OPTIONS', headers: asking });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'x-api-key',
    });
    expect([seen, asked]).toEqual([[], []]);
  },
);

test('when a browser asks whether it may call, then it takes no place of calls', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  answer = async () => held.then(() => Response.json({}));
  const waiting = ['mine', 'mine', 'mine'].map((slug) => call(`/agents/${slug}/hold`));
  await expect.poll(() => seen.length).toBe(3);
  expect((await call('/agents/mine/x', { method: 'OPTIONS', headers: preflight })).status).toBe(204);
  release();
  await Promise.all(waiting);
});

test('when a page calls, then it can read answers and refusals of the router alike', async () => {
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const answered = await call(path, { headers: { origin: page, ...headers } });
    return [answered.status, answered.headers['access-control-allow-origin']];
  };
  expect(await read('/agents/mine/ok')).toEqual([200, '*']);
  expect(await read('/agents/nobody/info')).toEqual([401, '*']);
  expect(await read('/agents/nobody/info', { 'x-api-key': 'k' })).toEqual([404, '*']);
  expect(await read('/agents/lost/info', { 'x-api-key': 'k' })).toEqual([503, '*']);
  routes.stop();
  expect(await read('/agents/mine/info', { 'x-api-key': 'k' })).toEqual([503, '*']);
});

test('when a deployment names origins, then that holds for answers and for browsers that ask', async () => {
  policy = { ...policy, cors: { ...openCors, allow_origins: ['https://other.example'] } };
  expect((await call('/agents/mine/ok', { headers: { origin: page } })).headers).not.toHaveProperty(
    'access-control-allow-origin',
  );
  const { headers } = await call('/agents/mine/ok', { method: 'OPTIONS', headers: preflight });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});

test('when OPTIONS is asked by no browser, then it is the deployment’s to answer', async () => {
  await call('/agents/mine/ok', { method: 'OPTIONS' });
  expect(seen[0]?.request.method).toBe('OPTIONS');
});

test('when a deployment has an auth of its own, then it gets what was sent, and nothing of ours', async () => {
  policy = { verifies: false, cors: null };
  const headers = {
    authorization: 'Bearer theirs',
    'x-api-key': 'theirs',
    'x-roadstead-assertion': 'forged',
    cookie: 'a=b',
  };
  await call('/agents/mine/threads', { headers });
  expect(asked).toEqual([]);
  expect(seen[0]?.inward).toEqual({ path: '/threads' });
  const got = Object.fromEntries(seen[0]?.request.headers ?? []);
  expect(got).toMatchObject({ authorization: 'Bearer theirs', 'x-api-key': 'theirs' });
  expect(['x-roadstead-assertion', 'cookie'].filter((name) => name in got)).toEqual([]);
  expect(await connect('/agents/mine/chat', {}).opened).toBe(101);
});

test('when a key of the platform has told who calls, then it goes no further', async () => {
  const sent = {
    'x-api-key': 'k',
    authorization: 'Bearer of-the-app',
    'langsmith-api-key': 'k',
    'x-team': 'red',
  };
  await call('/agents/mine/page', { headers: sent });
  const got = Object.fromEntries(seen[0]?.request.headers ?? []);
  expect(got).toMatchObject({ authorization: 'Bearer of-the-app', 'x-team': 'red' });
  expect(['x-api-key', 'langsmith-api-key'].filter((name) => name in got)).toEqual([]);
  identityStatus = 401;
  await call('/agents/mine/page', { headers: { authorization: 'Bearer other' } });
  expect(seen[1]?.request.headers.get('authorization')).toBe('Bearer other');
});

test('when deployments come back, then callers by another auth are to try again, not refused', async () => {
  routes = new Routes();
  const { listener } = routerOf({
    routes,
    credentials: {
      inward: async () => ({ refused: new Problem('unauthenticated', 'No.') }),
      forget: () => undefined,
    },
  });
  await using starting = await listen(listener, { socket: join(folder(), 'starting') }, { drain_ms: 100 });
  expect(starting).toBeDefined();
  const headers = { authorization: 'Bearer theirs' };
  const answered = await call('/agents/mine/threads', { headers, socketPath: join(folder(), 'starting') });
  expect([answered.status, answered.headers['retry-after']]).toEqual([503, '5']);
});
