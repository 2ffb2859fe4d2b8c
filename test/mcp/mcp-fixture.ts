import { fileURLToPath } from 'node:url';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as LangSmith } from 'langsmith';
import type { Principal } from '@roadstead/contracts';
import { createSigner, createSigningKey, createVerifier, listen, toNodeListener } from '@roadstead/http';
import { silentLog, uuidv7 } from '@roadstead/kit';
import { type McpServerOptions, startMcpServer } from '@roadstead/mcp-server';
import {
  type Fixture,
  OTHER_WORKSPACE,
  startFixture,
  WORKSPACE,
} from '../../packages/observability/src/testing/observability-fixture.ts';

/** A real observability service, the MCP server over HTTP before it, `roadstead mcp`, and both official clients. */

export type Arguments = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}

export interface Caller extends AsyncDisposable {
  readonly listTools: () => Promise<{ tools: { name: string }[] }>;
  readonly call: (name: string, given?: Arguments) => Promise<Answer>;
  readonly server: () => { name: string; version: string } | undefined;
  readonly protocol: () => string | undefined;
}

export interface McpFixture extends AsyncDisposable {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the observability service listens. */
  readonly api_url: string;
  /** The SDK of the observability service, for what tools are to read. */
  readonly langsmith: (of?: 'this workspace' | 'another workspace') => LangSmith;
  /** Runs for `POST /runs/batch`. */
  readonly send: (runs: readonly object[]) => Promise<void>;
  readonly connect: (way: Way, as?: As) => Promise<Caller>;
}

/** Who calls, and with which tools; a key of the first workspace and the usual ones unless given. */
interface As {
  readonly key?: string;
  readonly toolsets?: string;
  /** Further ones, over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Each official client, transport and era of the protocol. */
export const ways = [
  'client 2.x, HTTP, 2026-07-28',
  'client 2.x, HTTP, 2025',
  'client 1.x, HTTP, 2025',
  'client 2.x, stdio, 2026-07-28',
  'client 1.x, stdio, 2025',
] as const;
export type Way = (typeof ways)[number];

export const LATEST = '2026-07-28';
const KEY = `key-${WORKSPACE}`;
/** A key of another workspace. */
export const OTHER_KEY = `key-${OTHER_WORKSPACE}`;
const workspaces: Readonly<Record<string, string>> = { [KEY]: WORKSPACE, [OTHER_KEY]: OTHER_WORKSPACE };
const launcher = fileURLToPath(new URL('../../bin/roadstead.mjs', import.meta.url));
const info = { name: 'test', version: '1' };

export async function startMcpFixture({
  open = (traces) => traces.listen(),
  ...options
}: Partial<Pick<McpServerOptions, 'allowed_endpoints' | 'api_url'>> & {
  /** Makes the API that tools read; the observability service alone unless given. */
  readonly open?: (traces: Fixture) => Promise<{ readonly url: string } & AsyncDisposable>;
} = {}): Promise<McpFixture> {
  const stack = new AsyncDisposableStack();
  const fixture = stack.use(await startFixture());
  const api = stack.use(await open(fixture));
  const signer = createSigner(createSigningKey());
  const mcp = stack.use(
    await startMcpServer({
      verify: createVerifier(signer.public_keys, { audience: 'platform' }),
      fetch: (request) => fetch(new Request(request.url, request)),
      api_url: api.url,
      allowed_endpoints: [],
      log: silentLog,
      check_answers: true,
      ...options,
    }),
  );
  const answer = async (request: Request) => {
    const workspace_id = workspaces[request.headers.get('service-api-key') ?? ''];
    if (workspace_id === undefined) return mcp.served.fetch(request, {});
    const principal: Principal = { workspace_id, actor: 'key:test', scopes: ['admin'] };
    return mcp.served.fetch(request, { assertion: signer.sign(principal, 'platform') });
  };
  const server = stack.use(await listen(toNodeListener(answer), { host: '127.0.0.1', port: 0 }));
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const headers = { 'SERVICE-API-KEY': KEY };
  return {
    url,
    headers,
    api_url: api.url,
    langsmith: (of = 'this workspace') =>
      new LangSmith({
        apiUrl: `${api.url}/api`,
        apiKey: `key-${of === 'this workspace' ? WORKSPACE : OTHER_WORKSPACE}`,
        autoBatchTracing: false,
      }),
    send: async (post) => {
      const response = await fixture.send('/runs/batch', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ post, patch: [] }),
      });
      if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
    },
    connect: (way, as = {}) => connect(way, { url, api_url: api.url, ...as }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function connect(
  way: Way,
  { url, api_url, key = KEY, toolsets = 'default', headers: more }: Pick<McpFixture, 'url' | 'api_url'> & As,
): Promise<Caller> {
  const process_ = {
    command: process.execPath,
    args: [launcher, 'mcp', '--toolsets', toolsets],
    env: { PATH: process.env['PATH'] ?? '', SERVICE_API_KEY: key, SERVICE_ENDPOINT: api_url },
  };
  const headers = { 'SERVICE-API-KEY': key, 'X-MCP-Toolsets': toolsets, ...more };
  if (way.startsWith('client 1.x')) {
    const client = new LegacyClient(info);
    const transport = new LegacyHttp(new URL(url), { requestInit: { headers } });
    await client.connect(way.includes('HTTP') ? transport : new LegacyStdio(process_));
    return {
      listTools: () => client.listTools(),
      call: (name, given) => client.callTool({ name, ...(given && { arguments: given }) }) as Promise<Answer>,
      server: () => client.getServerVersion(),
      protocol: () => transport.protocolVersion,
      [Symbol.asyncDispose]: () => client.close(),
    };
  }
  const mode = way.endsWith(LATEST) ? { pin: LATEST } : 'legacy';
  const client = new ModernClient(info, { versionNegotiation: { mode } });
  await client.connect(
    way.includes('HTTP')
      ? new ModernHttp(new URL(url), { requestInit: { headers } })
      : new ModernStdio(process_),
  );
  return {
    listTools: () => client.listTools(),
    call: (name, given) => client.callTool({ name, ...(given && { arguments: given }) }) as Promise<Answer>,
    server: () => client.getServerVersion(),
    protocol: () => client.getNegotiatedProtocolVersion(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export const PROJECT = 'tools';
const AT = '2026-01-05T00:00:00';

/** The runs of one trace, a root and its children. */
export function traceOf(trace_id: string, count: number, more: object = {}): object[] {
  const stamp = (at: number) => `20260105T000000${String(at).padStart(6, '0')}Z`;
  return Array.from({ length: count }, (_, at) => {
    const id = at === 0 ? trace_id : uuidv7();
    return {
      id,
      trace_id,
      ...(at === 0 ? {} : { parent_run_id: trace_id }),
      dotted_order: at === 0 ? `${stamp(0)}${trace_id}` : `${stamp(0)}${trace_id}.${stamp(at)}${id}`,
      name: `step ${at}`,
      run_type: at === 0 ? 'chain' : 'tool',
      session_name: PROJECT,
      start_time: `${AT}.${String(at).padStart(6, '0')}Z`,
      end_time: `${AT.slice(0, -1)}1Z`,
      inputs: { text: 'x'.repeat(300) },
      ...more,
    };
  });
}

interface ThreadTurn {
  readonly thread_id: string;
  readonly at: number;
  readonly inputs: object;
  readonly outputs: object;
}

/** A turn of a thread; `at` is its second. */
export function turnOf({ thread_id, at, inputs, outputs }: ThreadTurn): object {
  const id = uuidv7();
  const start_time = new Date(Date.UTC(2026, 0, 6, 0, 0, at)).toISOString();
  return {
    id,
    trace_id: id,
    dotted_order: `${start_time.replaceAll(/[-:.Z]/g, '')}000Z${id}`,
    name: 'agent',
    run_type: 'chain',
    session_name: PROJECT,
    start_time,
    end_time: start_time,
    inputs,
    outputs,
    extra: { metadata: { thread_id } },
  };
}
