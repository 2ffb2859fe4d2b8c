import { credentialOf, originAsAsked } from '@roadstead/contracts';
import type { RequestHandler } from '@roadstead/http';
import { isAllowedOrigin } from './endpoint-rules.ts';
import { BOTH_WAYS, challenge } from './sign-in-rules.ts';

const PATHS: ReadonlySet<string> = new Set(['/mcp', '/api/mcp']);

/**
 * The MCP server at an origin that has an authorization server: a caller without a credential learns where to sign
 * in.
 */
export function withSignIn(served: RequestHandler, public_url: string): RequestHandler {
  return {
    fetch: async (request, inward) => {
      const path = new URL(request.url).pathname.replace(/\/$/, '');
      const answer = await served.fetch(request, inward);
      if (!PATHS.has(path)) return answer;
      const where = { public_url: originAsAsked(public_url, request.url), path };
      return readable(answer.status === 401 ? await challenged(answer, { request, ...where }) : answer, {
        request,
        public_url,
      });
    },
  };
}

async function challenged(
  answer: Response,
  { request, ...where }: { readonly request: Request; readonly public_url: string; readonly path: string },
): Promise<Response> {
  const sent = credentialOf(request.headers) !== undefined;
  const headers = new Headers(answer.headers);
  headers.set('www-authenticate', challenge({ ...where, error: sent ? 'invalid_token' : undefined }));
  if (sent) return new Response(answer.body, { status: 401, headers });
  const { error, ...body } = (await answer.json()) as { error: object };
  return new Response(JSON.stringify({ ...body, error: { ...error, message: BOTH_WAYS } }), {
    status: 401,
    headers,
  });
}

/** Pages that may call may also read the answer, and the header that names where to sign in. */
function readable(
  answer: Response,
  { request, public_url }: { readonly request: Request; readonly public_url: string },
): Response {
  const origin = request.headers.get('origin');
  if (origin === null || !isAllowedOrigin(origin, public_url)) return answer;
  const headers = new Headers(answer.headers);
  headers.set('access-control-allow-origin', origin);
  headers.append('vary', 'Origin');
  headers.set('access-control-expose-headers', 'WWW-Authenticate, Mcp-Session-Id, Retry-After');
  if (request.method === 'OPTIONS') {
    headers.set('access-control-allow-methods', 'POST');
    headers.set(
      'access-control-allow-headers',
      request.headers.get('access-control-request-headers') ?? 'authorization, content-type',
    );
    headers.set('access-control-max-age', '3600');
  }
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}
