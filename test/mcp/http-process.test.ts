import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { PROJECT, startMcpFixture, traceOf } from './mcp-fixture.ts';
import { uuidv7 } from '@roadstead/kit';

/** `roadstead mcp --http`: the MCP server as a process of its own, in front of the API that its requests have keys for. */

const launcher = fileURLToPath(new URL('../../bin/roadstead.mjs', import.meta.url));
const info = { name: 'test', version: '1' };

const fixture = useFixture(startMcpFixture);
const key = useFixture(() => fixture().headers['SERVICE-API-KEY'] ?? '');
beforeAll(() => fixture().send(traceOf(uuidv7(), 1)));

const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, [launcher, 'mcp', ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function ended(child: ChildProcess): Promise<{ code: number | null; err: string }> {
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, err };
}

interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
}

async function running(env: Readonly<Record<string, string>>, ...args: string[]): Promise<ServerProcess> {
  const child = start(['--http', '--port', '0', '--allow-root', ...args], env);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { port } = JSON.parse(line) as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'close');
    },
  };
}

describe('over HTTP', () => {
  // The variable has the name by which LangSmith’s own server knows it.
  const server = useFixture(() => running({ LANGSMITH_ENDPOINT: fixture().api_url }));

  const post = (path: string, headers: Readonly<Record<string, string>>) =>
    fetch(server().url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_projects', arguments: {} },
      }),
    });

  test.each(['SERVICE-API-KEY', 'LANGSMITH-API-KEY', 'X-Api-Key', 'Authorization'])(
    'when the key comes by the header %s, then each request has its own',
    async (name) => {
      for (const path of ['/mcp', '/api/mcp']) {
        const answer = await post(path, { [name]: name === 'Authorization' ? `Bearer ${key()}` : key() });
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain(PROJECT);
      }
    },
  );

  test.each([
    ['no key', 401, {}, 'SERVICE-API-KEY'],
    ['a key that the endpoint doesn’t take', 401, { 'X-Api-Key': 'wrong' }, 'doesn’t take this API key'],
    [
      'an endpoint that nobody allowed',
      403,
      { 'X-Api-Key': 'k', 'SERVICE-ENDPOINT': 'http://10.0.0.1' },
      'may not call',
    ],
    ['a page of another origin', 403, { origin: 'https://evil.example' }, 'Pages of this origin'],
    ['a toolset that there isn’t', 400, { 'X-MCP-Toolsets': 'none' }, 'none is no toolset'],
  ])('when a request has %s, then it is refused with %i', async (_what, status, headers, sentence) => {
    const named = status === 401 || 'X-Api-Key' in headers ? headers : { 'X-Api-Key': key(), ...headers };
    const answer = await post('/mcp', named);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(await answer.json())).toContain(sentence);
  });

  test.each(['GET', 'DELETE'])('when the method is %s, then it is refused', async (method) => {
    for (const path of ['/mcp', '/api/mcp']) {
      const answer = await fetch(server().url + path, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toContain('POST');
      expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    }
  });

  test('when health is asked, then a sentence comes that needs no key', async () => {
    const answer = await fetch(`${server().url}/health`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(await answer.text()).toMatch(/\.\n$/);
  });

  test.each(['2026-07-28', '2025'])(
    'when a client of %s names toolsets by a header, then it gets their tools alone',
    async (era) => {
      const client = new Client(info, {
        versionNegotiation: { mode: era === '2025' ? 'legacy' : { pin: era } },
      });
      const headers = { 'X-Api-Key': key(), 'X-MCP-Toolsets': 'runs' };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${server().url}/mcp`), { requestInit: { headers } }),
      );
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain('fetch_runs');
      expect(names).not.toContain('get_thread_history');
      await client.close();
    },
  );
});

test('when the operator allowed an endpoint, then it is read with the key of the request', async () => {
  await using server = await running(
    { SERVICE_ENDPOINT: 'http://127.0.0.1:9', ROADSTEAD_MCP_ENDPOINTS: fixture().api_url },
    '--toolsets',
    'runs',
  );
  const client = new Client(info);
  const headers = { 'X-Api-Key': key(), 'SERVICE-ENDPOINT': fixture().api_url };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }),
  );
  expect(JSON.stringify(await client.callTool({ name: 'list_projects', arguments: {} }))).toContain(PROJECT);
  await client.close();
});

test('when SIGTERM comes, then it ends cleanly', async () => {
  await using server = await running({ SERVICE_ENDPOINT: fixture().api_url });
  const client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers: { 'X-Api-Key': key() } },
    }),
  );
  await client.listTools();
  const end = ended(server.child);
  server.child.kill('SIGTERM');
  expect((await end).code).toBe(0);
  await client.close();
});

test.runIf(process.getuid?.() === 0)('when root starts it, then it refuses in words', async () => {
  const { code, err } = await ended(start(['--http', '--port', '0']));
  expect(code).toBe(1);
  expect(err).toContain('does not run as root');
});

test.each([
  [['--http', '--port', 'x'], '--port must be'],
  [['--http', '--allow-root', '--toolsets', 'x'], 'x is no toolset'],
])('when it is started with %j, then it refuses in words', async (args, sentence) => {
  const { code, err } = await ended(start(args));
  expect(code).toBe(1);
  expect(err).toContain(sentence);
});

test.each(['SERVICE', 'LANGSMITH'])(
  'when the variables are %s_…, then it works over standard input and output',
  async (prefix) => {
    const client = new Client(info);
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [launcher, 'mcp', '--toolsets', 'runs'],
        env: {
          PATH: process.env['PATH'] ?? '',
          [`${prefix}_API_KEY`]: key(),
          [`${prefix}_ENDPOINT`]: fixture().api_url,
        },
      }),
    );
    expect(JSON.stringify(await client.callTool({ name: 'list_projects', arguments: {} }))).toContain(
      PROJECT,
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('get_thread_history');
    await client.close();
  },
);
