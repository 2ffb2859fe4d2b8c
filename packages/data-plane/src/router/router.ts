import { ASSERTION_HEADER } from '@roadstead/contracts';
import { type Inward, type NodeListener, Problem, toNodeListener, toResponse } from '@roadstead/kit';
import type { Credentials } from './credentials.ts';
import { createNobody } from './nobody.ts';
import type { Routes } from './routes.ts';

/** After a start, a call waits so long for its deployment. */
const COMING_BACK_MS = 15_000;

/**
 * Answers `/agents/{slug}/…`: verifies the caller once and hands the request to the deployment's agent server. Who shows
 * no good key learns nothing of names that are unknown, and waits for none.
 */
export function createRouter({
  routes,
  credentials,
}: {
  routes: Routes;
  credentials: Credentials;
}): NodeListener {
  const nobody = createNobody();
  return toNodeListener(async (request) => {
    const [, slug = '', path = '/'] = /^[^:]+:\/\/[^/]+\/agents\/([^/?#]+)([^?#]*)/.exec(request.url) ?? [];
    const caller = await inwardOf(request, credentials);
    const inward = { ...caller, path: path === '' ? '/' : path };
    const isKnown = caller.assertion !== undefined;
    const route = await routes.find(slug, isKnown ? COMING_BACK_MS : 0, request.signal);
    if (route === undefined)
      return isKnown ? toResponse(absence(routes.isMissing(slug)), 'detail') : nobody.fetch(request, inward);
    const response = await route.running.fetch(withoutOurs(request), inward);
    return withoutCookies(response);
  });
}

/** In the words of an agent server that is asked by another workspace. */
function absence(isMissing: boolean): Problem {
  if (!isMissing) return new Problem('not_found', 'No deployment answers here.');
  return new Problem('unavailable', 'What this deployment served can’t be brought back right now.', {
    hint: 'It is tried again; the events of the deployment say why.',
    retry_after_s: 10,
  });
}

/** A caller of another workspace is as good as nobody: the agent server compares. */
async function inwardOf(request: Request, credentials: Credentials): Promise<Inward> {
  try {
    const assertion = await credentials.verify(request.headers);
    return assertion === undefined ? {} : { assertion };
  } catch (error) {
    if (error instanceof Problem) return { refused: error };
    throw error;
  }
}

/** What only the platform may say, and what a browser would add by itself. */
function withoutOurs(request: Request): Request {
  if (!request.headers.has(ASSERTION_HEADER) && !request.headers.has('cookie')) return request;
  const headers = new Headers(request.headers);
  headers.delete(ASSERTION_HEADER);
  headers.delete('cookie');
  // Made of its parts: the server's request is a stand-in that can't be copied.
  const { method, url, signal, body } = request;
  return new Request(url, { method, headers, signal, ...(body === null ? {} : { body, duplex: 'half' }) });
}

/** Agents share our origin: their pages run sandboxed and set nothing. */
function withoutCookies(response: Response): Response {
  const html = response.headers.get('content-type')?.includes('text/html') === true;
  if (!html && !response.headers.has('set-cookie')) return response;
  const headers = new Headers(response.headers);
  headers.delete('set-cookie');
  if (html) headers.set('content-security-policy', 'sandbox');
  return new Response(response.body, { status: response.status, headers });
}
