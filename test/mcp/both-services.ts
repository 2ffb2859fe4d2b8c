import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client';
import type { Principal, Scope } from '@roadstead/contracts';
import { createSigner, createSigningKey, createVerifier, listen, toNodeListener } from '@roadstead/http';
import { silentLog } from '@roadstead/kit';
import { startMcpServer } from '@roadstead/mcp-server';
import { startFixture as startControl } from '../../packages/control-plane/src/testing/fixture.ts';
import {
  startFixture as startTraces,
  WORKSPACE,
} from '../../packages/observability/src/testing/observability-fixture.ts';
import { type Answer, type Arguments, LATEST } from './mcp-fixture.ts';

/** The real control plane and the real observability service behind one MCP server, and anything that answers as an agent. */

const AGENTS = 'http://roadstead.test/agents';

export interface BothServicesOptions {
  /** Called below `/agents`. */
  readonly agent?: (request: Request) => Promise<Response>;
  /** Paths that are answered with this status in place of a service. */
  readonly refused?: (path: string) => number | undefined;
}

export async function startBothServices({ agent, refused }: BothServicesOptions = {}) {
  const stack = new AsyncDisposableStack();
  const control = stack.use(await startControl());
  const traces = stack.use(await startTraces());
  const signer = createSigner(createSigningKey());
  const dispatch = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const status = refused?.(pathname);
    if (status !== undefined) return Response.json({ detail: 'Refused by the test.' }, { status });
    if (pathname.startsWith('/agents/')) return agent?.(request) ?? new Response(null, { status: 404 });
    const { method, headers, body, signal } = request;
    if (pathname.startsWith('/api-host/')) {
      const inner = new Headers(headers);
      inner.set('x-api-key', `rs_admin_${WORKSPACE}`);
      return control.fetch(
        new Request(request.url, { method, headers: inner, body, signal, duplex: 'half' }),
      );
    }
    return traces.send(pathname.replace(/^\/api/, '') + search, {
      method,
      headers,
      body: body === null ? null : new Uint8Array(await request.arrayBuffer()),
    });
  };
  const mcp = stack.use(
    await startMcpServer({
      verify: createVerifier(signer.public_keys, { audience: 'platform' }),
      fetch: dispatch,
      agents: { pattern: `${AGENTS}/{slug}`, base: AGENTS, fetch: dispatch },
      api_url: 'http://roadstead.test/api',
      allowed_endpoints: [],
      log: silentLog,
      check_answers: true,
    }),
  );
  const inward = (scopes: readonly Scope[]) => {
    const principal: Principal = { workspace_id: WORKSPACE, actor: 'key:test', scopes: [...scopes] };
    return { assertion: signer.sign(principal, 'platform') };
  };
  const server = stack.use(
    await listen(
      toNodeListener(async (request) => mcp.served.fetch(request, inward(['admin']))),
      { host: '127.0.0.1', port: 0 },
    ),
  );
  const url = new URL(`http://127.0.0.1:${server.port}/mcp`);
  const client = new ModernClient(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: LATEST } } },
  );
  const headers = { 'x-api-key': 'any', 'x-mcp-toolsets': 'all' };
  await client.connect(new ModernHttp(url, { requestInit: { headers } }));
  stack.defer(() => client.close());
  return {
    url,
    headers,
    control,
    traces,
    call: (name: string, given: Arguments = {}, options: { signal?: AbortSignal } = {}) =>
      client.callTool({ name, arguments: given }, options) as Promise<Answer>,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
