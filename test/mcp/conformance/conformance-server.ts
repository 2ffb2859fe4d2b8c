import type { Principal } from '@roadstead/contracts';
import { createSigner, createSigningKey, createVerifier, listen, toNodeListener } from '@roadstead/http';
import { silentLog } from '@roadstead/kit';
import { type McpServerOptions, startMcpServer } from '@roadstead/mcp-server';

export interface OpenServer extends AsyncDisposable {
  readonly url: string;
}

const anyone: Principal = { workspace_id: 'conformance', actor: 'key:conformance', scopes: ['admin'] };

/**
 * The MCP server as it is, but that it takes every caller for one and the same: the conformance kit sends no
 * header.
 */
export async function startOpenServer(
  options: Partial<Pick<McpServerOptions, 'handler' | 'api_url'>>,
  caller = anyone,
): Promise<OpenServer> {
  const stack = new AsyncDisposableStack();
  const signer = createSigner(createSigningKey());
  const mcp = stack.use(
    await startMcpServer({
      verify: createVerifier(signer.public_keys, { audience: 'platform' }),
      fetch: (request) => fetch(new Request(request.url, request)),
      api_url: 'http://127.0.0.1:9/api',
      allowed_endpoints: [],
      log: silentLog,
      check_answers: true,
      ...options,
    }),
  );
  const answer = (request: Request) =>
    mcp.served.fetch(request, { assertion: signer.sign(caller, 'platform') });
  const server = stack.use(await listen(toNodeListener(answer), { host: '127.0.0.1', port: 0 }));
  return { url: `http://127.0.0.1:${server.port}/mcp`, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
