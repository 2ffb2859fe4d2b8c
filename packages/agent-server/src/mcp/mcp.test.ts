import { once } from 'node:events';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { useFixturePerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { mcpEndpoints } from '@roadstead/contracts/agent-server';
import { listen, serve, toNodeListener } from '@roadstead/http';
import { Problem, silentLog } from '@roadstead/kit';
import type { EndedRun, Run } from '../runs/run.ts';
import type { Runs } from '../runs/runs.ts';
import { createMcpHandlers } from './mcp-routes.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const graph = {
  graph_id: 'weather',
  description: 'Says the weather.',
  channels: ['city'],
  has_messages: false,
};
const assistants = [
  { assistant_id: 'a-1', graph_id: 'weather', name: 'weather', description: null },
  { assistant_id: 'a-2', graph_id: 'weather', name: 'In Celsius', description: 'Says it in Celsius.' },
];

let disabled: boolean;
let revision: string;
let asked: string[];
let started: object[];
let cancelled: string[];
let ended: (run_id: string, signal: AbortSignal) => Promise<EndedRun>;
let start: () => Promise<Run>;
beforeEach(() => {
  [disabled, revision, asked, started, cancelled] = [false, 'one', [], [], []];
  start = async () => ({ run_id: 'r' }) as Run;
  ended = async () => ({ ...endOf({}), values: { degrees: 7, key: 'a secret' } });
});
const server = useFixturePerTest(() => {
  const runs = {
    ask: async (method: string, { graph_id }: { graph_id: string }) => {
      asked.push(`${method} ${graph_id}`);
      return { input_schema: schema, output_schema: { properties: { degrees: {} } } };
    },
    ended: (run_id: string, signal: AbortSignal) => ended(run_id, signal),
    cancel: async (run_id: string) => (cancelled.push(run_id), true),
  } as unknown as Runs;
  const handlers = createMcpHandlers({
    name: 'harbour',
    disabled: () => disabled,
    graphs: () => [graph],
    revision_id: () => revision,
    assistants: async ({ principal }) => (principal.actor === 'key:poor' ? [] : assistants),
    start: async (_call, run) => (started.push(run), start()),
    runs,
    sign_ms: 5,
  });
  const served = serve(mcpEndpoints, handlers, {
    service: 'test',
    verify: (assertion) => ({ workspace_id: 'w', actor: assertion, scopes: ['agents:invoke'] }),
    log: silentLog,
    check_answers: true,
  });
  const listener = toNodeListener(async (request) => {
    const assertion = request.headers.get('x-api-key');
    return served.fetch(request, assertion === null ? {} : { assertion });
  });
  return listen(listener, { host: '127.0.0.1', port: 0 }, { drain_ms: 100 });
});
const url = useFixturePerTest(() => new URL(`http://127.0.0.1:${server().port}/mcp`));

const endOf = (end: object): EndedRun => ({
  run: { run_id: 'r', thread_id: 't', assistant_id: 'a-1', task_id: null, principal: 'p' },
  end: { status: 'success', interrupts: [], ...end },
});

const info = { name: 'test', version: '1' };
const ways = ['2026-07-28', '2025 by 2.x', '2025 by 1.x'] as const;

interface McpConnection {
  listTools(): Promise<{ readonly tools: readonly object[] }>;
  callTool(
    call: { readonly name: string; readonly arguments: Record<string, unknown> },
    options?: { readonly onprogress?: () => void; readonly signal?: AbortSignal },
  ): Promise<object>;
  close(): Promise<void>;
}

/** Its requests are given up with its connections. */
let gone = new AbortController();
const giveUp: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.any([gone.signal, ...(init?.signal ? [init.signal] : [])]) });

async function connect(way: (typeof ways)[number], key = 'key:test'): Promise<McpConnection> {
  const options = { requestInit: { headers: { 'x-api-key': key } }, fetch: giveUp };
  if (way === '2025 by 1.x') {
    const client = new LegacyClient(info);
    await client.connect(new LegacyHttp(url(), options));
    return {
      listTools: () => client.listTools(),
      callTool: (call, more) => client.callTool(call, undefined, more),
      close: () => client.close(),
    };
  }
  const mode = way === '2026-07-28' ? { pin: way } : 'legacy';
  const client = new ModernClient(info, { versionNegotiation: { mode } });
  await client.connect(new ModernHttp(url(), options));
  return client;
}

test.each(ways)(
  'when clients of %s list tools, then each assistant is one that takes what its graph takes',
  async (way) => {
    const client = await connect(way);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      { name: 'weather', description: 'Says the weather.', inputSchema: schema },
      { name: 'In_Celsius', description: 'Says it in Celsius.', title: 'In Celsius' },
    ]);
    const result = await client.callTool({ name: 'In_Celsius', arguments: { city: 'Oslo' } });
    expect(result).toMatchObject({ content: [{ type: 'text', text: '{"degrees":7}' }] });
    // What the output schema does not name stays inside.
    expect(result).toHaveProperty('structuredContent', { degrees: 7 });
    expect(started).toEqual([{ assistant_id: 'a-2', input: { city: 'Oslo' } }]);
    await client.close();
  },
);

test.each([
  ['application/json', { params: null }, 'application/json'],
  ['*/*', { params: { cursor: null } }, 'application/json'],
  ['TEXT/EVENT-STREAM', {}, 'text/event-stream'],
])('when %s is accepted and the request holds %j, then it is answered as %s', async (accept, more, type) => {
  const response = await fetch(url(), {
    method: 'POST',
    headers: { 'x-api-key': 'key:test', 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...more }),
  });
  expect(response.headers.get('content-type')).toContain(type);
  expect(await response.text()).toContain('"name":"weather"');
});

test('when arguments hold what no text may, then they are refused by their field', async () => {
  const client = await connect('2025 by 1.x');
  expect(await client.callTool({ name: 'weather', arguments: { city: ['a\0b'] } })).toMatchObject({
    isError: true,
    content: [{ text: 'arguments.city.0: must not contain NUL or half of a surrogate pair.' }],
  });
  expect(started).toEqual([]);
  await client.close();
});

test('when a caller sees no assistants, then it has no tools of theirs', async () => {
  const client = await connect('2025 by 1.x', 'key:poor');
  expect((await client.listTools()).tools).toEqual([]);
  await expect(client.callTool({ name: 'weather', arguments: {} })).rejects.toThrow('weather not found');
  expect(started).toEqual([]);
  await client.close();
});

test('when another revision serves, then schemas are asked for again, and only then', async () => {
  const client = await connect('2025 by 1.x');
  for (let n = 0; n < 3; n += 1) await client.listTools();
  expect(asked).toEqual(['schemas weather']);
  revision = 'two';
  await client.listTools();
  expect(asked).toHaveLength(2);
  await client.close();
});

test.each(ways)(
  'when a run can’t begin, then clients of %s get an error that the model reads',
  async (way) => {
    const client = await connect(way);
    start = () => Promise.reject(new Problem('unavailable', 'Too much is unfinished.'));
    const call = () => client.callTool({ name: 'weather', arguments: { city: 'Oslo' } });
    expect(await call()).toMatchObject({ isError: true, content: [{ text: 'Too much is unfinished.' }] });
    start = () => Promise.reject(new TypeError('a secret'));
    const failed = JSON.stringify(await call());
    expect(failed).toContain('the log has it under');
    expect(failed).not.toContain('a secret');
    await client.close();
  },
);

test.each(ways)('when a run takes long, then clients of %s that ask for it hear of it', async (way) => {
  const client = await connect(way);
  const heard = Promise.withResolvers<void>();
  ended = async () => heard.promise.then(() => ({ ...endOf({}), values: { degrees: 7 } }));
  const options = { onprogress: () => heard.resolve() };
  const result = await client.callTool({ name: 'weather', arguments: { city: 'Oslo' } }, options);
  expect(result).toMatchObject({ structuredContent: { degrees: 7 } });
  await client.close();
});

test.each(ways)('when a caller goes away, then its run is cancelled, for clients of %s', async (way) => {
  gone = new AbortController();
  const client = await connect(way);
  const running = Promise.withResolvers<void>();
  ended = async (_run_id, signal) => {
    running.resolve();
    await once(signal, 'abort');
    throw signal.reason;
  };
  const call = client.callTool({ name: 'weather', arguments: { city: 'Oslo' } }, { signal: gone.signal });
  const refused = call.then(
    () => false,
    () => true,
  );
  await running.promise;
  gone.abort();
  expect(await refused).toBe(true);
  await expect.poll(() => cancelled).toEqual(['r']);
});

const post = (body: string, headers: Record<string, string> = { 'x-api-key': 'key:test' }) =>
  fetch(url(), {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });

test('when a key is missing, MCP disabled or a method wrong, then the refusal is JSON-RPC', async () => {
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  expect((await post(list, {})).status).toBe(401);
  expect((await fetch(url(), { headers: { 'x-api-key': 'k' } })).status).toBe(405);
  disabled = true;
  const refused = await post(list);
  expect(refused.status).toBe(404);
  expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
});

test.each(['', '{', '[]', '7', '{"jsonrpc":"1.0"}', `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`])(
  'when a body is no call, then it is refused in JSON-RPC (%#)',
  async (body) => {
    const answered = await post(body);
    expect(answered.status).toBeGreaterThanOrEqual(400);
    expect(answered.status).toBeLessThan(500);
    expect(await answered.json()).toMatchObject({ error: { code: expect.any(Number) } });
  },
);
