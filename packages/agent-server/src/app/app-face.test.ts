import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, test } from 'vitest';
import { type HttpSettings, readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import type { RevisionSpec } from '../agent-server-options.ts';
import { type OpenAgent, openAgent } from '../testing/open-agent.ts';

const folder = fileURLToPath(new URL('../../../graph-host/fixtures/web/', import.meta.url));
const checkout = fileURLToPath(new URL('../../../../', import.meta.url));

const agent = useFixture(openAgent);
beforeAll(() => serve({}));

/** Serves the fixture `web` with other settings for HTTP, and more in its `langgraph.json`. */
async function serve(
  http: Partial<HttpSettings>,
  more: object = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<RevisionSpec> {
  const written = JSON.parse(readFileSync(`${folder}langgraph.json`, 'utf8')) as object;
  const read = readLangGraphJson(JSON.stringify({ ...written, ...more }), 'langgraph.json');
  if (read.kind === 'refused') throw new Error(read.message);
  const spec = {
    revision_id: randomUUID(),
    folder,
    project: { ...read.config, http: { ...read.config.http, ...http } },
    environment: { ROADSTEAD_MODULE_ROOT: checkout, LG_WEBHOOK_WORD: 'sesame', ...environment },
  };
  await agent().server.prepare(spec, new AbortController().signal);
  await agent().server.activate(spec.revision_id, new AbortController().signal);
  return spec;
}

const json = async (path: string, init?: Parameters<OpenAgent['ask']>[1]) =>
  (await (await agent().ask(path, init)).json()) as Record<string, unknown>;

test('when somebody calls, then the app’s addresses come first; all others need a key', async () => {
  expect(await json('/hello?name=you', { by: 'nobody' })).toEqual({
    hello: 'you',
    at: 'http://roadstead.test/hello?name=you',
  });
  expect(await json('/info', { by: 'nobody' })).toEqual({ mine: true });
  expect(await json('/ok', { by: 'nobody' })).toEqual({ ok: true });
  const posted = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
  expect((await agent().ask('/a2a/agent', { ...posted, by: 'nobody' })).status).toBe(401);
  expect((await agent().ask('/a2a/agent', posted)).status).toBe(200);
});

test('when the app has middleware, then the log says for which addresses it runs', () => {
  const message =
    'http.app has middleware: it runs for the addresses of the app alone, not for those of the API.';
  expect(agent().lines).toContainEqual(expect.objectContaining({ level: 'WARNING', message }));
});

test('when a caller of the app sends a key of ours, then the app sees only its users’ own tokens', async () => {
  const key = `rs_${'k'.repeat(43)}`;
  expect(await json(`/hello?name=you&key=${key}`, { by: 'nobody' })).toEqual({
    hello: 'you',
    at: 'http://roadstead.test/hello?name=you',
  });
  const seenOf = async (authorization: string) => {
    const headers = { authorization, 'webhook-id': 'a', 'content-type': 'application/json' };
    await json('/hook', { by: 'nobody', method: 'POST', headers, body: '{}' });
    return (await json('/hooked/a', { by: 'nobody' }))['by'];
  };
  expect(await seenOf(`Bearer ${key}`)).toBeNull();
  expect(await seenOf('Bearer theirs')).toBe('Bearer theirs');
});

test('when a run is begun by a call, then it finds the headers that the project lets it read', async () => {
  const message = { role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'hello' }] };
  const said = async (messageId: string) => {
    const params = { message: { ...message, messageId } };
    const answer = await agent().ask('/a2a/agent', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-team': 'blue' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params }),
    });
    return await answer.text();
  };
  expect(await said('one')).toContain('hello blue');
  await serve({ configurable_headers: { includes: null, excludes: ['x-team'] } });
  expect(await said('two')).toContain('hello nobody');
});

test('when neither the app nor the server has an address, then it is 404 for anyone', async () => {
  for (const path of ['/nothing', '/nothing/at/all', '/assistants-of-nobody'])
    expect(await json(path)).toMatchObject({ detail: expect.stringContaining('Nothing is served') });
});

test('when the project’s code calls its own deployment, then it is served as the deployment', async () => {
  expect(await json('/own/ok', { by: 'nobody' })).toEqual({ status: 200, body: '{"ok":true}' });
  expect(await json('/own/metrics', { by: 'nobody' })).toMatchObject({ status: 200 });
});

const own = {
  auth: { path: './auth.js:auth' },
  webhooks: { headers: { authorization: 'Bearer ${{ env.LG_WEBHOOK_WORD }}' } },
};
test.each([
  ['open routes', {}, {}, null],
  ['routes that ask who calls', { enable_custom_route_auth: true }, {}, null],
  ['routes that ask its own auth', { enable_custom_route_auth: true }, own, 'Bearer sesame'],
])('when a run with a webhook ends, then the webhook calls the app: %s', async (_, http, more, by) => {
  await serve(http, more);
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sesame' };
  const body = JSON.stringify({ assistant_id: 'agent', input: { messages: 'hi' }, webhook: '/hook' });
  const { run_id } = await json('/runs', { method: 'POST', headers, body });
  await expect
    .poll(() => json(`/hooked/${String(run_id)}`, { headers }))
    .toMatchObject({ status: 'success', values: { messages: [{ content: 'hi' }, {}] }, by });
});

test('when a webhook of a run has a path, then it reaches the app and nothing else', async () => {
  await serve({});
  const headers = { 'content-type': 'application/json' };
  const ask = (path: string, body: object) =>
    json(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const before = await ask('/threads/count', {});
  const run = { assistant_id: 'agent', input: { messages: 'hi' } };
  await ask('/runs/wait', { ...run, webhook: '/threads' });
  const { run_id } = await ask('/runs', { ...run, webhook: '/hook' });
  await expect.poll(() => json(`/hooked/${String(run_id)}`)).not.toBeNull();
  expect(await ask('/threads/count', {})).toEqual(before);
});

test('when the server answers by itself, then no graph host wakes; when the app does, one does', async () => {
  await using idle = await openAgent();
  const spec = await serve({});
  const manifest = await agent().server.prepare(
    { ...spec, revision_id: randomUUID() },
    new AbortController().signal,
  );
  idle.server.restore(spec, manifest);
  await idle.server.activate(spec.revision_id, new AbortController().signal);
  expect((await idle.ask('/ok')).status).toBe(200);
  expect(idle.server.hosts()).toBe(0);
  expect((await idle.ask('/hello')).status).toBe(200);
  expect(idle.server.hosts()).toBe(1);
});

test('when components of user interfaces are asked for, then they are refused in words', async () => {
  for (const [method, path] of [
    ['POST', '/ui/agent'],
    ['GET', '/ui/agent/client.js'],
  ] as const) {
    const answered = await agent().ask(path, { method });
    expect([answered.status, await answered.text()]).toEqual([501, expect.stringContaining('`ui`')]);
  }
});

test('when groups of addresses are switched off, then they are 404; callers can be held to keys', async () => {
  await serve({ disable_a2a: true, disable_meta: true, enable_custom_route_auth: true });
  expect((await agent().ask('/a2a/agent', { method: 'POST' })).status).toBe(404);
  expect((await agent().ask('/openapi.json')).status).toBe(404);
  expect((await agent().ask('/ok?check_db=1', { by: 'nobody' })).status).toBe(200);
  expect((await agent().ask('/hello', { by: 'nobody' })).status).toBe(401);
  expect(await json('/hello')).toMatchObject({ hello: 'world' });
});

test('when there is a prefix, then all is served below it, too, and calls are logged', async () => {
  await serve({ mount_prefix: '/api', logging_headers: { includes: ['x-team'], excludes: null } });
  expect(
    await json('/api/hello', { headers: { 'x-team': 'blue', authorization: 'Bearer x' } }),
  ).toMatchObject({
    at: 'http://roadstead.test/hello',
  });
  expect(await json('/api/ok')).toEqual({ ok: true });
  expect((await agent().ask('/apis/ok')).status).toBe(404);
  const line = agent().lines.find(({ message }) => message.startsWith('GET /hello 200 in '));
  expect(line?.message).toMatch(/ ms \{"x-team":"blue"\}$/);
});

test('when a deployment is asked, then it tells how its database is, its figures and its API', async () => {
  await serve({ disable_a2a: true });
  expect(await json('/ok?check_db=1', { by: 'nobody' })).toEqual({
    ok: true,
    services: { database: 'ok', graph_hosts: 'ok' },
  });
  const text = await (await agent().ask('/metrics')).text();
  expect(text).toContain('# TYPE lg_api_http_requests_latency histogram');
  expect(text).toMatch(/lg_api_http_requests_total\{method="GET",path="\/ok",status="200"\} \d+/);
  expect((await agent().ask('/metrics', { by: 'nobody' })).status).toBe(401);
  expect(await json('/metrics?format=json')).toMatchObject({
    lg_api_num_pending_runs: { type: 'gauge', samples: [{ labels: {}, value: 0 }] },
  });
  const document = await json('/openapi.json', { by: 'nobody' });
  expect((await new Validator().validate(structuredClone(document))).valid).toBe(true);
  expect(Object.keys(document['paths'] as object)).toContain('/metrics');
  expect(Object.keys(document['paths'] as object).filter((path) => path.startsWith('/a2a'))).toEqual([]);
  expect(document['servers']).toEqual([{ url: 'http://roadstead.test/agents/agent' }]);
  const page = await agent().ask('/docs', { by: 'nobody' });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
});

const located = async (path: string) => {
  const answered = await agent().ask(path, { redirect: 'manual' });
  return [answered.status, answered.headers.get('location')];
};

test('when the app sends its client on, then the client stays below the deployment’s address', async () => {
  await serve({});
  const at = 'http://roadstead.test/agents/agent';
  expect(await located('/made')).toEqual([302, `${at}/done?ok=1`]);
  const said = {
    location: '/done',
    'content-location': '/one',
    link: '</two>; rel=next',
    refresh: '5; url=/three',
  };
  const { headers } = await agent().ask(`/say?headers=${encodeURIComponent(JSON.stringify(said))}`);
  expect(Object.fromEntries(Object.keys(said).map((name) => [name, headers.get(name)]))).toEqual({
    location: '/agents/agent/done',
    'content-location': '/agents/agent/one',
    link: '</agents/agent/two>; rel=next',
    refresh: '5; url=/agents/agent/three',
  });
});

test('when the app has somebody sign in elsewhere, then they come back to it', async () => {
  const callback = 'http://roadstead.test/agents/agent/callback';
  const back = encodeURIComponent(callback);
  const at = 'https://provider.example/authorize';
  expect(await located('/sign-in')).toEqual([302, `${at}?state=a+b&redirect_uri=${back}`]);
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-prefix': '/evil' };
  const answered = await agent().ask('/sign-in/by-headers', { headers, redirect: 'manual' });
  expect(answered.headers.get('location')).toBe(
    `${at}?redirect_uri=${encodeURIComponent(`${callback}/by-headers`)}`,
  );
});

/** A provider that gives a token only to who says again where it sent somebody back to. */
async function provider() {
  const grants = new Map<string, string>();
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://provider.test');
      if (pathname === '/authorize') {
        const [code, back] = [randomUUID(), searchParams.get('redirect_uri') ?? ''];
        grants.set(code, back);
        return response.writeHead(302, { location: `${back}?code=${code}` }).end();
      }
      const asked = new URLSearchParams(await textOf(request));
      const is_same = grants.get(asked.get('code') ?? '') === asked.get('redirect_uri');
      response.writeHead(is_same ? 200 : 400, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(is_same ? { access_token: 'theirs' } : { error: 'invalid_grant' }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

test.each([
  ['of the headers', '/sign-in/by-headers', { access_token: 'theirs' }],
  // What an app says in a call of its own stays as it says it.
  ['of the request', '/sign-in', { error: 'invalid_grant' }],
])(
  'when an app makes its redirect_uri %s, then a provider that compares takes it or not',
  async (_, path, answer) => {
    using signing_in = await provider();
    await serve({}, {}, { SIGN_IN_AT: signing_in.url });
    const [status, at] = await located(path);
    expect(status).toBe(302);
    const back = (await fetch(String(at), { redirect: 'manual' })).headers.get('location') ?? '';
    const found = 'http://roadstead.test/agents/agent';
    expect(back.startsWith(`${found}/callback`)).toBe(true);
    expect(await json(back.slice(found.length), { by: 'nobody' })).toEqual(answer);
  },
);

test('when the app’s middleware answers what nobody else has, then its answer counts', async () => {
  expect(await located('/done/')).toEqual([301, 'http://roadstead.test/agents/agent/done']);
  expect(await located('/ok/')).toEqual([200, null]);
  expect((await agent().ask('/nothing')).status).toBe(404);
});
