import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ApiError, createClient } from './client.ts';
import { endpoint } from './endpoint.ts';

const contract = {
  ask: endpoint({ method: 'GET', path: '/ask', summary: 'asks', auth: 'public' }),
  upload: endpoint({ method: 'PUT', path: '/upload', summary: 'uploads', auth: 'public', raw: true }),
};

/** Answers the head at once and never the rest. */
async function halting(): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(200).write('{'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('when an answer is not whole by the deadline, then the call fails with status 0', async () => {
  const base_url = await halting();
  const client = createClient(contract, { base_url, deadline_ms: 50 });
  await expect(client.ask({})).rejects.toMatchObject({
    status: 0,
    message: `${base_url} does not answer in time.`,
  });
});

test('when a handler looks at no signal, then the deadline still ends the call, unless it is raw', async () => {
  const answers = Promise.withResolvers<Response>();
  const options = { base_url: 'http://service', fetch: () => answers.promise, deadline_ms: 20 };
  const client = createClient(contract, options);
  const upload = client.upload({});
  await expect(client.ask({})).rejects.toMatchObject({ status: 0 });
  answers.resolve(Response.json({ there: true }));
  expect(await upload).toEqual({ there: true });
});

test('when the caller ends a call, then it throws what the caller said', async () => {
  const client = createClient(contract, { base_url: await halting() });
  await expect(client.ask({ signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
});

test('when Node’s fetch may forget the signal of a request, then the signal goes beside it', async () => {
  const stop = new AbortController();
  const client = createClient(contract, {
    base_url: 'http://there',
    fetch: (_request, { signal }) =>
      new Promise((_, refuse) => {
        signal?.addEventListener('abort', () => refuse(signal.reason as Error), { once: true });
      }),
  });
  const asked = client.ask({ signal: stop.signal });
  stop.abort(new Error('We stop.'));
  await expect(asked).rejects.toThrow('We stop.');
});

test.each<[string, ResponseInit, string, string]>([
  [
    'a page in place of an answer',
    { status: 200 },
    '<!doctype html><p>hello</p>',
    'http://there is not a Roadstead: its answer is no JSON.',
  ],
  [
    'a page in place of a refusal',
    { status: 404 },
    `\n<html>${'x'.repeat(100)}</html>`,
    'http://there answered 404, and not as a Roadstead does.',
  ],
  [
    'a long text',
    { status: 500 },
    'x'.repeat(100_000),
    'http://there answered 500, and not as a Roadstead does.',
  ],
  ['a sentence', { status: 503 }, 'Try again.', 'Try again.'],
  ['our own refusal', { status: 400 }, '{"detail":"No."}', 'No.'],
])('when another server answers, then no page of it is repeated: %s', async (_what, init, body, message) => {
  const listing = {
    list: endpoint({
      method: 'GET',
      path: '/list',
      summary: 'lists',
      auth: 'public',
      success: { status: 200, body: z.object({ items: z.array(z.string()) }) },
    }),
  };
  const client = createClient(listing, {
    base_url: 'http://there',
    fetch: async () => new Response(body, init),
  });
  await expect(client.list({})).rejects.toMatchObject({ status: init.status, message });
});

test.each<[string, string | undefined]>([
  ['a name', 'http://there/things/a%20name'],
  ['a/b', 'http://there/things/a%2Fb'],
  ['$&', 'http://there/things/%24%26'],
  ['%2e%2e', 'http://there/things/%252e%252e'],
  ['...', 'http://there/things/...'],
  ['..', undefined],
  ['.', undefined],
  ['', undefined],
])('when a parameter of a path is %j, then it stays within its part', async (thing, address) => {
  const things = {
    read: endpoint({
      method: 'GET',
      path: '/things/{thing}',
      summary: 'reads',
      auth: 'public',
      params: z.object({ thing: z.string() }),
    }),
  };
  const asked: string[] = [];
  const client = createClient(things, {
    base_url: 'http://there',
    fetch: async (request) => {
      asked.push(request.url);
      return Response.json({});
    },
  });
  const status = await client.read({ params: { thing } }).then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.status : error),
  );
  expect([status, ...asked]).toEqual(address === undefined ? [404] : [200, address]);
});

test('when what sends a request is refused something first, then the call says so', async () => {
  const refusal = new ApiError('Too many ask.', { status: 429 });
  const client = createClient(contract, { base_url: 'http://there', fetch: () => Promise.reject(refusal) });
  await expect(client.ask({})).rejects.toBe(refusal);
});
