import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { longestHold, useFixture } from '@roadstead/testing';
import { startMcpFixture } from './mcp-fixture.ts';

/** What the endpoint answers to those that speak HTTP by hand. */

const fixture = useFixture(startMcpFixture);
const guarded = useFixture(() => startMcpFixture({ allowed_endpoints: ['http://allowed.example/api'] }));

const listProjects = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_projects', arguments: {} },
};

interface PostOptions {
  readonly url?: string;
  readonly body?: object;
}
const post = (more: Record<string, string>, { url = fixture().url, body = listProjects }: PostOptions = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...fixture().headers,
      ...more,
    },
    body: JSON.stringify(body),
  });

test.each<readonly [string, object, string]>([
  [
    'arguments',
    { ...listProjects, params: { ...listProjects.params, arguments: null } },
    'structuredContent',
  ],
  ['params', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: null }, 'fetch_runs'],
  ['params of ping', { jsonrpc: '2.0', id: 1, method: 'ping', params: null }, '"result":{}'],
  ...['tools', 'prompts', 'resources', 'resources/templates'].map(
    (what) =>
      [
        `cursor of ${what}`,
        { jsonrpc: '2.0', id: 1, method: `${what}/list`, params: { cursor: null } },
        '"result":{',
      ] as const,
  ),
])('when %s is null, then it is absent', async (_, body, expected) => {
  const response = await post({}, { body });
  const answer = await response.text();
  expect(response.status).toBe(200);
  expect(answer).toContain(expected);
  expect(answer).not.toContain('"error":{"code"');
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } },
};
test.each([
  ['application/json', 'application/json'],
  ['Application/JSON', 'application/json'],
  ['application/*', 'application/json'],
  ['*/*', 'application/json'],
  ['', 'application/json'],
  ['text/event-stream', 'text/event-stream'],
  ['Text/Event-Stream', 'text/event-stream'],
  ['APPLICATION/JSON, TEXT/EVENT-STREAM;q=0.9', 'text/event-stream'],
])('when the accepted type is "%s", then the answer is %s', async (accept, type) => {
  for (const body of [initialize, listProjects]) {
    const response = await post({ accept }, { body });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    const text = await response.text();
    const answer = JSON.parse(
      type === 'application/json' ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? ''),
    ) as object;
    expect(answer).toMatchObject({ jsonrpc: '2.0', id: 1, result: {} });
  }
});

test('when a cursor is no text, then the refusal names it', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 5 } };
  expect(await (await post({}, { body })).json()).toMatchObject({
    id: 1,
    error: { code: -32_602, message: 'params.cursor must be a text.' },
  });
});

test('when a batch is sent by who reads JSON, then the answers come as a list', async () => {
  const body = [
    listProjects,
    { ...listProjects, id: 2 },
    { jsonrpc: '2.0', method: 'notifications/cancelled' },
  ];
  const answers = (await (await post({ accept: 'application/json' }, { body })).json()) as { id: number }[];
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2]));
});

test.each([
  [403, 'https://evil.example'],
  [403, 'null'],
  [200, 'http://localhost:5173'],
])('when a page calls, then it is answered %i if it is of %s', async (status, origin) => {
  expect((await post({ origin })).status).toBe(status);
});

test.each([
  'http://169.254.169.254/',
  'http://[::ffff:169.254.169.254]/latest',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://127.1:1/',
  'http://localhost:1/api',
  'http://0.0.0.0:1/',
  'https://api.smith.langchain.com.evil.example',
  'http://allowed.example@169.254.169.254/',
  'http://allowed.example#@169.254.169.254/',
  'http://allowed.example/api/../../latest',
  'http://allowed.example:8080/api',
  'https://allowed.example/api',
  'file:///etc/passwd',
  'gopher://127.0.0.1:5432/',
  'data:application/json,[]',
])('when nobody allowed the endpoint %s, then it is refused', async (endpoint) => {
  const { url } = guarded();
  expect((await post({ 'service-endpoint': endpoint, authorization: 'Bearer theirs' }, { url })).status).toBe(
    403,
  );
});

test('when many calls come at once, then all are answered', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, async () => (await post({})).text()));
  expect(answers.filter((text) => !text.includes('"projects"') || text.includes('"isError":true'))).toEqual(
    [],
  );
});

test('when there is no key, then the answer is 401', async () => {
  expect((await post({ 'service-api-key': 'none' })).status).toBe(401);
});

test('when health is asked, then the answer is a sentence', async () => {
  const answer = await fetch(fixture().url.replace(/mcp$/, 'health'));
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toBe('The Roadstead MCP server is running.\n');
});

test('when the operator allowed an endpoint, then it is read with its own key, redirects refused', async () => {
  const came: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    came.push(request.url);
    if (request.headers['x-api-key'] !== 'theirs' && request.headers.authorization !== 'Bearer theirs')
      response.writeHead(302, { location: '/elsewhere' }).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using own = await startMcpFixture({ allowed_endpoints: [endpoint] });
  const ask = async (key: string) =>
    (await post({ 'service-endpoint': endpoint, authorization: `Bearer ${key}` }, { url: own.url })).text();
  expect(await ask('theirs')).not.toContain('"isError":true');
  expect(came).toHaveLength(1);
  expect(await ask('wrong')).toContain('"isError":true');
  expect(came).toHaveLength(2);
  expect(came.join(' ')).not.toContain('elsewhere');
  server.closeAllConnections();
  await server[Symbol.asyncDispose]();
});

test.each([
  ['deep', '['.repeat(1_000_000)],
  ['of many values', `[${'[],'.repeat(1_300_000)}1]`],
])('when a body is too %s, then it is refused before it is parsed', async (_what, body) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = async () => {
    const answer = await fetch(fixture().url, {
      method: 'POST',
      headers: { ...headers, ...fixture().headers },
      body,
    });
    expect([answer.status, await answer.json()]).toMatchObject([413, { error: { code: -32_600 } }]);
  };
  expect(await longestHold(send)).toBeLessThan(100);
});
