import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio as serveOverStdio } from '@modelcontextprotocol/server/stdio';
import {
  type Client,
  CREDENTIAL_HEADERS,
  createClient,
  mcpServer,
  type Observability,
  observability,
  WORKSPACE_HEADERS,
} from '@roadstead/contracts';
import { type Log, Problem, serve, type Served, type Verifier } from '@roadstead/kit';
import { createToolServer } from './server.ts';

export interface McpServerOptions {
  readonly verify: Verifier;
  /** The origin itself: tools call the public API as their caller would. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Our own API address, without a trailing slash. */
  readonly api_url: string;
  /** Other LangSmith-compatible addresses that callers may name. */
  readonly allowed_endpoints: readonly string[];
  readonly log: Log;
}

export interface McpService extends AsyncDisposable {
  readonly served: Served;
}

/** The MCP server over HTTP, for clients of both eras. It keeps nothing between two requests. */
export async function startMcpServer(options: McpServerOptions): Promise<McpService> {
  const { verify, log } = options;
  const callMcp = async ({ request }: { readonly request: Request }): Promise<Response> => {
    const api = apiOf(request.headers, options);
    const handler = createMcpHandler(() => createToolServer(() => api, log), {
      legacy: 'stateless',
      onerror: (error) => log.debug('mcp', { error }),
    });
    return handler.fetch(request);
  };
  const refuse = async (): Promise<Response> => {
    throw new Problem(
      'method_not_allowed',
      'This address answers POST only: the server keeps no sessions and opens no streams.',
      { headers: { allow: 'POST' } },
    );
  };
  const served = serve(
    mcpServer,
    {
      callMcp,
      getMcp: refuse,
      endMcp: refuse,
      readHealth: async () =>
        new Response('The Roadstead MCP server is running.\n', {
          headers: { 'content-type': 'text/plain; charset=utf-8' },
        }),
    },
    { service: 'mcp-server', verify, log },
  );
  return { served, [Symbol.asyncDispose]: async () => undefined };
}

/** A client of the API with the caller's own key; an address other than ours must be allowed. */
function apiOf(headers: Headers, options: McpServerOptions): Client<Observability> {
  const key =
    CREDENTIAL_HEADERS.flatMap((name) => headers.get(name) ?? [])[0] ??
    /^Bearer\s+(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ??
    '';
  const workspace = WORKSPACE_HEADERS.flatMap((name) => headers.get(name) ?? [])[0];
  const named = (
    headers.get('service-endpoint') ??
    headers.get('langsmith-endpoint') ??
    options.api_url
  ).replace(/\/+$/, '');
  const own = [options.api_url, options.api_url.replace(/\/api$/, ''), `${options.api_url}/v1`].includes(
    named,
  );
  if (!own && !options.allowed_endpoints.includes(named))
    throw new Problem('forbidden', 'SERVICE-ENDPOINT names an address that this server may not call.');
  return createApi({
    base_url: own ? options.api_url : named,
    key,
    workspace,
    ...(own ? { fetch: options.fetch } : {}),
  });
}

function createApi({
  base_url,
  key,
  workspace,
  fetch: send,
}: {
  base_url: string;
  key: string;
  workspace: string | undefined;
  fetch?: (request: Request) => Promise<Response>;
}): Client<Observability> {
  return createClient(observability, {
    base_url,
    headers: { 'x-api-key': key, ...(workspace === undefined ? {} : { 'x-tenant-id': workspace }) },
    // A redirect would carry the key to an address that nobody allowed.
    fetch: send ?? ((request) => fetch(new Request(request, { redirect: 'error' }))),
  });
}

/** The same tools over standard input and output, until the client closes them. */
export async function serveStdio({
  endpoint,
  api_key,
  workspace_id,
}: {
  readonly endpoint: string;
  readonly api_key: string;
  readonly workspace_id?: string;
}): Promise<void> {
  const api = createApi({ base_url: endpoint, key: api_key, workspace: workspace_id });
  serveOverStdio(() => createToolServer(() => api));
  await new Promise<void>((resolve) => process.stdin.once('close', resolve).once('end', resolve));
}
