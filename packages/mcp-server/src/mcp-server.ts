import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { allows, originAsAsked } from '@roadstead/contracts';
import { mcpServer } from '@roadstead/contracts/mcp-server';
import { serve, type RequestHandler, type ServeOptions, type Verifier } from '@roadstead/http';
import { type Log, Problem } from '@roadstead/kit';
import { answerMcp } from '@roadstead/mcp-endpoint';
import { createGuardedFetch } from '@roadstead/outbound';
import { openApis } from './access/api-client.ts';
import { accessOf, type CallerAccess, type CallerOptions } from './access/caller.ts';
import { isAllowedOrigin } from './access/endpoint-rules.ts';
import { missingScope } from './access/sign-in-rules.ts';
import { createConfirmations } from './confirmation/confirmation.ts';
import { createToolServer, type ServedCaller } from './tool-server.ts';
import { toolsets } from './tools/index.ts';
import { selectTools, TOOLSETS_HEADER } from './tools/toolset-rules.ts';

export interface McpServerOptions extends CallerOptions, Pick<ServeOptions, 'onAnswer' | 'check_answers'> {
  readonly verify: Verifier;
  readonly log: Log;
  /** The toolsets that callers may have; all by default. */
  readonly toolsets?: readonly string[];
  /** They seal questions to users; the same in every process that serves one address. By default one of this process. */
  readonly confirmation_secrets?: readonly string[];
  /** The access that a request gives the tools, where no edge has verified its first credential. */
  readonly accessOf?: (headers: Headers) => CallerAccess;
  /** Answers in place of our own tools: requests that pass the checks come here. */
  readonly handler?: Pick<McpHttpHandler, 'fetch' | 'close'>;
}

export interface McpService extends AsyncDisposable {
  readonly served: RequestHandler;
}

/** The limits of another API, where a caller names one. */
export const ELSEWHERE = { timeout_ms: 60_000, max_bytes: 33_554_432 } as const;

const MAX_BODY_BYTES = mcpServer.callMcp.max_body_bytes ?? 4_194_304;
/** More than any tool needs; the values of a body are parsed at once. */
const MAX_BODY_VALUES = 10_000;

/** The MCP server over HTTP, for clients of 2026-07-28 and of 2025. It keeps no state between two requests. */
export async function startMcpServer({ verify, log, ...options }: McpServerOptions): Promise<McpService> {
  const guarded = createGuardedFetch({
    // The operator named them, so they may be in a private network.
    allowed_hosts: options.allowed_endpoints.flatMap((endpoint) => URL.parse(endpoint)?.host ?? []),
    ...ELSEWHERE,
  });
  // A redirect would carry the key to an address that was not allowed.
  const fetchElsewhere = async (request: Request) => guarded(new Request(request, { redirect: 'error' }));
  const confirmations = createConfirmations(options.confirmation_secrets);
  const handler =
    options.handler ??
    createMcpHandler(({ authInfo }) => createToolServer(authInfo?.extra?.['served'] as ServedCaller, log), {
      legacy: 'stateless',
      maxRequestBodySize: MAX_BODY_BYTES,
      onerror: (error) => log.debug('an MCP request was refused', { error }),
    });
  const served = serve(
    mcpServer,
    {
      callMcp: async ({ request, principal }) => {
        if (!isAllowedOrigin(request.headers.get('origin'), options.api_url))
          throw new Problem('forbidden', 'Pages of this origin may not call the MCP server.');
        const { is_own, ...access } =
          options.accessOf?.(request.headers) ?? accessOf(request.headers, options);
        return answerMcp(request, {
          max_bytes: MAX_BODY_BYTES,
          max_values: MAX_BODY_VALUES,
          handle: async ({ request: forwarded, body }) => {
            const served: ServedCaller = {
              workspace_id: principal.workspace_id,
              apis: openApis({ fetch: fetchElsewhere, ...access }),
              confirmations,
              tools: selectTools(toolsets, {
                asked: request.headers.get(TOOLSETS_HEADER) ?? undefined,
                offered: options.toolsets,
                // Only the other API knows what a key may do there.
                caller: is_own ? principal : undefined,
              }),
              may: (needed) => !is_own || allows(principal.scopes, [needed]),
              called: calledTool(body),
            };
            const lacking = missingScope(principal, {
              called: served.called,
              tools: Object.values(toolsets).flat(),
              public_url: originAsAsked(options.api_url.replace(/\/api$/, ''), request.url),
              path: new URL(request.url).pathname.replace(/\/$/, ''),
            });
            if (lacking !== undefined) throw lacking;
            return handler.fetch(forwarded, {
              ...(body === undefined ? {} : { parsedBody: body }),
              authInfo: {
                token: access.api_key,
                clientId: principal.actor,
                scopes: [...principal.scopes],
                extra: { served },
              },
            });
          },
        });
      },
      readHealth: async () =>
        new Response('The Roadstead MCP server is running.\n', {
          headers: { 'content-type': 'text/plain; charset=utf-8' },
        }),
    },
    { service: 'mcp-server', verify, log, ...answerOptions(options) },
  );
  return { served, [Symbol.asyncDispose]: async () => handler.close() };
}

/** The name of the tool that a message calls. */
function calledTool(message: unknown): string | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  const name = method === 'tools/call' ? params?.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

function answerOptions({ onAnswer, check_answers }: Pick<ServeOptions, 'onAnswer' | 'check_answers'>) {
  return {
    ...(onAnswer === undefined ? {} : { onAnswer }),
    ...(check_answers === undefined ? {} : { check_answers }),
  };
}
