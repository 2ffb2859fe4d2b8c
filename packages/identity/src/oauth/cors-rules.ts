/**
 * The paths that clients in browsers call from any page: public documents, registration and tokens, all without
 * cookies.
 */

const PATHS = [
  /^(?:\/api)?(?:\/mcp)?\/\.well-known\/(?:oauth-|openid-)/,
  /^\/oauth\/(?:jwks|register|token|revoke|device\/code)\/?$/,
];

export function withCors(request: Request, answer: Response): Response {
  if (!request.headers.has('origin')) return answer;
  const { pathname } = new URL(request.url);
  if (!PATHS.some((path) => path.test(pathname))) return answer;
  const allowed = new Response(answer.body, answer);
  allowed.headers.set('access-control-allow-origin', '*');
  allowed.headers.set('access-control-expose-headers', 'WWW-Authenticate, Retry-After');
  if (request.method === 'OPTIONS') {
    allowed.headers.set('access-control-allow-methods', answer.headers.get('allow') ?? '');
    allowed.headers.set('access-control-allow-headers', 'authorization, content-type, mcp-protocol-version');
    allowed.headers.set('access-control-max-age', '3600');
  }
  return allowed;
}
