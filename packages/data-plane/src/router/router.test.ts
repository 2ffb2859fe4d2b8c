import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient, identity } from '@roadstead/contracts';
import { type HttpServer, type Inward, listen } from '@roadstead/kit';
import { createCredentials } from './credentials.ts';
import { createRouter } from './router.ts';
import { Routes } from './routes.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
interface Seen {
  readonly request: Request;
  readonly inward: Inward;
  readonly body: string;
}

let folder: string;
let server: HttpServer;
let routes: Routes;
let seen: Seen[];
let asked: { credential: string; workspace_id?: string }[];
let identityStatus: number;
let now: number;
let answer: (request: Request) => Promise<Response>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'router-'));
  routes = new Routes();
  seen = [];
  asked = [];
  identityStatus = 200;
  now = 1_000_000;
  answer = async () => Response.json({ ok: true });
  const client = createClient(identity, {
    base_url: 'http://identity.invalid',
    fetch: async (request) => {
      const body = (await request.json()) as (typeof asked)[number];
      asked.push(body);
      return identityStatus === 200
        ? Response.json({ assertion: `signed:${body.credential}`, expires_at: '' })
        : Response.json({ detail: 'no' }, { status: identityStatus });
    },
  });
  const running = {
    prepare: () => Promise.reject(new Error('unused')),
    restore: () => undefined,
    activate: async () => undefined,
    retire: async () => undefined,
    hosts: () => 0,
    fetch: async (request: Request, inward: Inward) => {
      seen.push({ request, inward, body: request.method === 'GET' ? '' : await request.clone().text() });
      return answer(request);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  routes.set('mine', { deployment_id: 'd', workspace_id: 'w', running });
  routes.markReady();
  const listener = createRouter({ routes, credentials: createCredentials(client, () => now) });
  server = await listen(listener, { socket: join(folder, 's') }, { drain_ms: 100 });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

function call(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  return new Promise<Answer>((resolve, reject) => {
    const { body, ...rest } = options;
    const sent = httpRequest({ socketPath: join(folder, 's'), path, ...rest }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

test('the path below the name, the query and the body arrive', async () => {
  await call('/agents/mine/a2a/one?x=1', { method: 'POST', body: 'hello' });
  expect(seen[0]?.inward.path).toBe('/a2a/one');
  expect(new URL(seen[0]?.request.url ?? '').search).toBe('?x=1');
  expect(seen[0]?.body).toBe('hello');
  await call('/agents/mine');
  expect(seen[1]?.inward.path).toBe('/');
});

test('an unknown name is 404 as JSON', async () => {
  const { status, text } = await call('/agents/nobody/ok');
  expect(status).toBe(404);
  expect(JSON.parse(text)).toEqual({ detail: expect.stringContaining('nobody') });
});

test('a deployment that is still coming back is waited for', async () => {
  const late = new Routes();
  const route = await routes.find('mine', 0, AbortSignal.timeout(1000));
  const waiting = late.find('mine', 5000, AbortSignal.timeout(5000));
  if (route !== undefined) late.set('mine', route);
  expect(await waiting).toBe(route);
});

test('without a key nothing is asked, and public paths are reached', async () => {
  expect((await call('/agents/mine/ok')).status).toBe(200);
  expect(asked).toEqual([]);
  expect(seen[0]?.inward.assertion).toBeUndefined();
});

test.each([
  [{ 'x-api-key': 'k1' }, 'k1'],
  [{ authorization: 'Bearer k2' }, 'k2'],
  [{ 'x-api-key': 'k3', authorization: 'Bearer other' }, 'k3'],
])('a credential in %j is verified once in 30 s', async (headers, credential) => {
  await call('/agents/mine/info', { headers });
  await call('/agents/mine/info', { headers });
  expect(asked).toHaveLength(1);
  expect(seen[1]?.inward.assertion).toBe(`signed:${credential}`);
  now += 30_001;
  await call('/agents/mine/info', { headers });
  expect(asked).toHaveLength(2);
});

test('the same key for another workspace is another question', async () => {
  await call('/agents/mine/info', { headers: { 'x-api-key': 'k', 'x-tenant-id': 'w1' } });
  await call('/agents/mine/info', { headers: { 'x-api-key': 'k', 'x-tenant-id': 'w2' } });
  expect(asked.map(({ workspace_id }) => workspace_id)).toEqual(['w1', 'w2']);
});

test('a refusal is handed inward and remembered for 5 s; identity being away is not remembered', async () => {
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

test('pages of agents run sandboxed, and set no cookies', async () => {
  answer = async () => new Response('<p>', { headers: { 'content-type': 'text/html', 'set-cookie': 'a=b' } });
  const { headers, text } = await call('/agents/mine/page');
  expect(text).toBe('<p>');
  expect(headers['set-cookie']).toBeUndefined();
  expect(headers['content-security-policy']).toBe('sandbox');
});

test.each(['GET', 'POST'])('a forged assertion and cookies of a %s stay outside', async (method) => {
  const headers = { 'x-roadstead-assertion': 'forged', cookie: 'session=1' };
  const body = method === 'POST' ? { body: 'kept' } : {};
  await call('/agents/mine/page', { method, headers, ...body });
  expect(seen[0]?.request.headers.get('x-roadstead-assertion')).toBeNull();
  expect(seen[0]?.request.headers.get('cookie')).toBeNull();
  expect(seen[0]?.inward.assertion).toBeUndefined();
  expect(seen[0]?.body).toBe(body.body ?? '');
});

test('a stream arrives piece by piece, and a client that goes away aborts it', async () => {
  const aborted = Promise.withResolvers<void>();
  answer = async (request) => {
    request.signal.addEventListener('abort', () => aborted.resolve());
    const first = new TextEncoder().encode('data: 1\n\n');
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(first) });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  await new Promise<void>((resolve, reject) => {
    const sent = httpRequest({ socketPath: join(folder, 's'), path: '/agents/mine/stream' }, (response) => {
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

test('a deployment that should answer and can not be brought back is said to be unavailable', async () => {
  routes.miss('lost');
  const { status, headers, text } = await call('/agents/lost/page');
  expect([status, headers['retry-after']]).toEqual([503, '10']);
  expect(text).toContain('can’t be brought back');
  expect((await call('/agents/nowhere/page')).status).toBe(404);
});
