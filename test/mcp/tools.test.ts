import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  createSigner,
  createSigningKey,
  createVerifier,
  listen,
  silentLog,
  toNodeListener,
  uuidv7,
} from '@roadstead/kit';
import { startMcpServer } from '@roadstead/mcp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFixture, WORKSPACE } from '../../packages/observability/src/testing/observability-fixture.ts';

/** The MCP server over HTTP, on a real observability service, as both generations of the official client see it. */

type Arguments = Record<string, unknown>;
interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, never>;
  readonly content?: unknown;
}
interface Caller {
  readonly listTools: () => Promise<{ tools: { name: string }[] }>;
  readonly call: (name: string, given: Arguments) => Promise<Answer>;
}

const stack = new AsyncDisposableStack();
const callers: Record<string, Caller> = {};
let url = '';
let headers: Record<string, string> = {};
const big = uuidv7();

beforeAll(async () => {
  const fixture = stack.use(await startFixture());
  const api = stack.use(await fixture.listen());
  const signer = createSigner(createSigningKey());
  const assertion = signer.sign(
    { workspace_id: WORKSPACE, actor: 'key:test', scopes: ['admin'] },
    'platform',
  );
  const mcp = stack.use(
    await startMcpServer({
      verify: createVerifier(signer.public_keys, 'platform'),
      fetch: (request) => fetch(new Request(request.url, request)),
      api_url: api.url,
      allowed_endpoints: [],
      log: silentLog,
    }),
  );
  const server = stack.use(
    await listen(
      toNodeListener((request) => mcp.served.fetch(request, { assertion })),
      { host: '127.0.0.1', port: 0 },
    ),
  );
  url = `http://127.0.0.1:${server.port}/mcp`;
  headers = { 'SERVICE-API-KEY': `key-${WORKSPACE}` };
  await trace(fixture, big, 250);
  for (let turn = 0; turn < 3; turn += 1) await say(fixture, 'twice', 'again', 'the same');

  const modern = new ModernClient({ name: 'test', version: '1' });
  await modern.connect(new ModernTransport(new URL(url), { requestInit: { headers } }));
  const legacy = new LegacyClient({ name: 'test', version: '1' });
  await legacy.connect(new LegacyTransport(new URL(url), { requestInit: { headers } }));
  callers['client 2.x'] = {
    listTools: () => modern.listTools(),
    call: (name, given) => modern.callTool({ name, arguments: given }) as Promise<Answer>,
  };
  callers['sdk 1.x'] = {
    listTools: () => legacy.listTools(),
    call: (name, given) => legacy.callTool({ name, arguments: given }) as Promise<Answer>,
  };
  stack.defer(async () => modern.close());
  stack.defer(async () => legacy.close());
});
afterAll(() => stack.disposeAsync());

type Fixture = Awaited<ReturnType<typeof startFixture>>;

/** One trace of so many runs, a root and its children. */
async function trace(fixture: Fixture, trace_id: string, count: number): Promise<void> {
  const stamp = (at: number) => `20260105T000000${String(at).padStart(6, '0')}Z`;
  const post = Array.from({ length: count }, (_, at) => {
    const id = at === 0 ? trace_id : uuidv7();
    return {
      id,
      trace_id,
      ...(at === 0 ? {} : { parent_run_id: trace_id }),
      dotted_order: at === 0 ? `${stamp(0)}${trace_id}` : `${stamp(0)}${trace_id}.${stamp(at)}${id}`,
      name: `step ${at}`,
      run_type: at === 0 ? 'chain' : 'tool',
      session_name: 'tools',
      start_time: '2026-01-05T00:00:00Z',
      end_time: '2026-01-05T00:00:01Z',
      inputs: { text: 'x'.repeat(300) },
    };
  });
  await send(fixture, post);
}

async function say(fixture: Fixture, thread_id: string, question: string, answer: string): Promise<void> {
  const id = uuidv7();
  const at = new Date().toISOString();
  await send(fixture, [
    {
      id,
      trace_id: id,
      dotted_order: `${at.replaceAll(/[-:.Z]/g, '')}000Z${id}`,
      name: 'agent',
      run_type: 'chain',
      session_name: 'tools',
      start_time: at,
      end_time: at,
      inputs: { messages: [{ role: 'user', content: question }] },
      outputs: { messages: [{ role: 'assistant', content: answer }] },
      extra: { metadata: { thread_id } },
    },
  ]);
}

async function send(fixture: Fixture, post: object[]): Promise<void> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ post, patch: [] }),
  };
  expect((await fixture.send('/runs/batch', init)).status).toBe(202);
}

const project_name = 'tools';

describe.each(['client 2.x', 'sdk 1.x'])('%s', (generation) => {
  const caller = () => callers[generation] as Caller;

  test('lists the tools that work', async () => {
    const { tools } = await caller().listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['list_projects', 'fetch_runs', 'get_thread_history']);
  });

  test.each<[string, string, Arguments, string, RegExp]>([
    [
      'a filter',
      'fetch_runs',
      { project_name, limit: 1, filter: 'eq(name,"x")' },
      'not_implemented',
      /filter/,
    ],
    [
      'a trace filter',
      'fetch_runs',
      { project_name, limit: 1, trace_filter: 'x' },
      'not_implemented',
      /trace_filter/,
    ],
    [
      'a tree filter',
      'fetch_runs',
      { project_name, limit: 1, tree_filter: 'x' },
      'not_implemented',
      /tree_filter/,
    ],
    ['a word for a number', 'fetch_runs', { project_name, limit: 'many' }, 'invalid_input', /limit/],
    ['no project', 'fetch_runs', { limit: 1 }, 'invalid_input', /project_name/],
    ['an unknown input', 'fetch_runs', { project_name, limit: 1, colour: 'red' }, 'invalid_input', /colour/],
    [
      'a bad run type',
      'fetch_runs',
      { project_name, limit: 1, run_type: 'dance' },
      'invalid_input',
      /run_type/,
    ],
    ['a bad boolean', 'fetch_runs', { project_name, limit: 1, error: 'maybe' }, 'invalid_input', /error/],
    [
      'a bad time',
      'fetch_runs',
      { project_name, limit: 1, min_start_time: 'soon' },
      'invalid_input',
      /min_start_time/,
    ],
    ['a bad id', 'fetch_runs', { project_name, limit: 1, trace_id: 'x' }, 'invalid_input', /trace_id/],
    [
      'a page below 1',
      'get_thread_history',
      { project_name, thread_id: 't', page_number: 0 },
      'invalid_input',
      /page_number/,
    ],
    ['an unknown project', 'fetch_runs', { project_name: 'none', limit: 1 }, 'not_found', /project/],
    [
      'an unknown thread',
      'get_thread_history',
      { project_name, thread_id: 'none', page_number: 1 },
      'not_found',
      /thread/,
    ],
    ['an unknown trace', 'fetch_runs', { project_name, limit: 1, trace_id: uuidv7() }, 'not_found', /trace/],
  ])('is told in words and by code what is wrong with %s', async (_what, name, given, code, says) => {
    await caller().listTools();
    const answer = await caller().call(name, given);
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code } } });
    expect(JSON.stringify(answer.content)).toMatch(says);
    expect(JSON.stringify(answer)).not.toMatch(/dance|"red"|maybe|many/);
  });

  test.each<[string, Arguments]>([
    ['native values', { project_name: 'tools', limit: 3, is_root: true, error: false, page_number: 1 }],
    ['texts', { project_name: '["tools"]', limit: '3', is_root: 'true', error: 'false', page_number: '1' }],
    ['a list', { project_name: ['tools'], limit: 3, is_root: true, filter: null, trace_id: '' }],
  ])('takes %s', async (_form, given) => {
    const { structuredContent } = await caller().call('fetch_runs', given);
    expect(structuredContent).toMatchObject({ page_number: 1, total_pages: 1 });
    expect(structuredContent?.['runs']).toHaveLength(3);
  });

  test('reads a trace of more runs than the API gives at once, page by page, in order', async () => {
    const names: string[] = [];
    let total = 1;
    for (let page_number = 1; page_number <= total; page_number += 1) {
      const given = { project_name, limit: 1000, page_number, trace_id: big, preview_chars: 40 };
      const { structuredContent: page } = await caller().call('fetch_runs', given);
      const { runs, total_pages } = page as unknown as { runs: { name: string }[]; total_pages: number };
      total = total_pages;
      expect(JSON.stringify(page).length).toBeLessThanOrEqual(25_000);
      names.push(...runs.map((run) => run.name));
    }
    expect(total).toBeGreaterThan(1);
    expect(names).toEqual(Array.from({ length: 250 }, (_, at) => `step ${at}`));
  });

  test('tells what was said more than once as often as it was said', async () => {
    const given = { project_name, thread_id: 'twice', page_number: 1 };
    const { structuredContent } = await caller().call('get_thread_history', given);
    const { result } = structuredContent as unknown as { result: { content: string }[] };
    expect(result.map((message) => message.content)).toEqual([
      'again',
      'the same',
      'again',
      'the same',
      'again',
      'the same',
    ]);
  });
});

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_projects', arguments: {} },
};
const post = (more: Record<string, string>) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
      ...more,
    },
    body: JSON.stringify(call),
  });

test('a page of another site may not call', async () => {
  expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
  expect((await post({ origin: 'http://localhost:5173' })).status).toBe(200);
});

test('an endpoint that nobody allowed is refused', async () => {
  expect((await post({ 'service-endpoint': 'http://169.254.169.254/' })).status).toBe(403);
});

test('health is a sentence', async () => {
  const answer = await fetch(url.replace(/mcp$/, 'health'));
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toBe('The Roadstead MCP server is running.\n');
});
