import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { fenced, useRouter } from '../testing/router-fixture.ts';

/** How calls pass to deployments and answers come back, and how many at a time. */

const { router } = useRouter();

test('when a deployment has too many calls, then more are refused, in the dialect; others go on', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  router().answer = async (request) => {
    if (request.url.includes('hold')) await held;
    return Response.json({ ok: true });
  };
  const waiting = ['mine', 'mine', 'mine'].map((slug) => router().call(`/agents/${slug}/hold`));
  await expect.poll(() => router().seen.length).toBe(3);
  const refused = await router().call('/agents/mine/a2a/agent', { method: 'POST', body: '{}' });
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2']);
  expect(JSON.parse(refused.text)).toMatchObject({ jsonrpc: '2.0', error: {} });
  expect(refused.headers).toMatchObject(fenced);
  expect((await router().call('/agents/other/ok')).status).toBe(200);
  waiting.push(router().call('/agents/other/hold'), router().call('/agents/other/hold'));
  await expect.poll(() => router().seen.length).toBe(6);
  expect((await router().call('/agents/mute/ok')).status).toBe(503);
  release();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await router().call('/agents/mine/ok')).status).toBe(200);
});

test('when a router stops, then it refuses new calls with when to try again', async () => {
  router().routes.stop();
  const stopped = await router().call('/agents/mine/a2a/agent', {
    method: 'POST',
    body: '{}',
    headers: { 'x-api-key': 'k' },
  });
  expect([stopped.status, stopped.headers['retry-after']]).toEqual([503, '5']);
  expect(JSON.parse(stopped.text)).toMatchObject({ jsonrpc: '2.0' });
});

test('when the edge asks, then it learns at which hosts deployments answer', async () => {
  router().hosts.claim('mine', 'https://mine.example.com');
  const { status, text } = await router().call('/custom-hosts');
  expect([status, JSON.parse(text)]).toEqual([200, { hosts: { 'mine.example.com': 'mine' } }]);
});

test('when a call comes, then the path below the name, the query and the body arrive', async () => {
  await router().call('/agents/mine/a2a/one?x=1', { method: 'POST', body: 'hello' });
  expect(router().seen[0]?.inward.path).toBe('/a2a/one');
  expect(new URL(router().seen[0]?.request.url ?? '').search).toBe('?x=1');
  expect(router().seen[0]?.body).toBe('hello');
  await router().call('/agents/mine');
  expect(router().seen[1]?.inward.path).toBe('/');
});

test('when a name is unknown, then it is 404 as JSON, as for another workspace’s deployment', async () => {
  const { status, text } = await router().call('/agents/nobody/ok', { headers: { 'x-api-key': 'k' } });
  expect(status).toBe(404);
  expect(JSON.parse(text)).toEqual({ detail: 'No deployment answers here (not found).' });
});

test('when a reader is gone, then its stream hears that, also after memory was collected', async () => {
  setFlagsFromString('--expose-gc');
  let over: AbortSignal | undefined;
  router().answer = async ({ signal }) => {
    over = signal;
    return new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) }));
  };
  const reader = httpRequest({
    socketPath: router().socket,
    path: '/agents/mine/s',
    headers: { cookie: 'a=b' },
  });
  await once(reader.end(), 'response');
  router().seen.length = 0;
  await new Promise(setImmediate);
  runInNewContext('gc')();
  setFlagsFromString('--no-expose-gc');
  reader.destroy();
  await expect.poll(() => over?.aborted).toBe(true);
});

const ofOrigin = {
  'clear-site-data': '"*"',
  'strict-transport-security': 'max-age=9',
  'report-to': '{}',
  'service-worker-allowed': '/',
  'set-cookie': 'a=b',
  // Only the router says that a deployment is elsewhere.
  'x-roadstead-elsewhere': '1',
};

test.each(['text/html', 'image/svg+xml', 'application/xml', 'application/json', ''])(
  'when an answer is of type "%s", then it is sandboxed, and settles nothing for its origin',
  async (type) => {
    router().answer = async () => {
      const headers = { ...ofOrigin, ...(type === '' ? {} : { 'content-type': type }) };
      return new Response(new TextEncoder().encode('<p>'), { headers });
    };
    const { headers, text } = await router().call('/agents/mine/page');
    expect(text).toBe('<p>');
    for (const name of Object.keys(ofOrigin)) expect(headers[name]).toBeUndefined();
    expect(headers).toMatchObject(fenced);
  },
);

test.each(['/agents/nobody/a2a/x', '/agents/nobody/page', '/agents/lost/ok'])(
  'when a call of %s is refused, then that is fenced like an answer',
  async (path) => {
    for (const headers of [{}, { 'x-api-key': 'k' }])
      expect((await router().call(path, { headers })).headers).toMatchObject(fenced);
  },
);

test('when a stream is read, then it comes piece by piece, and a client that goes away aborts it', async () => {
  const aborted = Promise.withResolvers<void>();
  router().answer = async (request) => {
    request.signal.addEventListener('abort', () => aborted.resolve());
    const first = new TextEncoder().encode('data: 1\n\n');
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(first) });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  await new Promise<void>((resolve, reject) => {
    const sent = httpRequest({ socketPath: router().socket, path: '/agents/mine/stream' }, (response) => {
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
