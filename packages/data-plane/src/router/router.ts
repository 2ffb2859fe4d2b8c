import { ASSERTION_HEADER } from '@roadstead/contracts';
import { type NodeListener, Problem, toNodeListener, toResponse } from '@roadstead/kit';
import type { Credentials } from '@roadstead/service';
import { createNobody } from './nobody.ts';
import type { Absence, Routes } from './routes.ts';

/** After a start, a call waits so long for its deployment. */
const COMING_BACK_MS = 15_000;

/**
 * Answers `/agents/{slug}/…`: verifies the caller once and hands the request to the deployment's agent server. To a
 * caller without a valid key a name without a deployment answers as any deployment would, and at once: neither the
 * answer nor the time it takes shows that there is none.
 */
export function createRouter({
  routes,
  credentials,
  coming_back_ms = COMING_BACK_MS,
}: {
  readonly routes: Routes;
  readonly credentials: Credentials;
  readonly coming_back_ms?: number;
}): NodeListener {
  const nobody = createNobody();
  return toNodeListener(async (request) => {
    const [, slug = '', path = '/'] = /^[^:]+:\/\/[^/]+\/agents\/([^/?#]+)([^?#]*)/.exec(request.url) ?? [];
    // A valid key of another workspace is verified, too: the agent server compares the workspaces.
    const caller = await credentials.inward(request.headers, 'agent-server');
    const inward = { ...caller, path: path === '' ? '/' : path };
    const isVerified = caller.assertion !== undefined;
    const route = await routes.find(slug, isVerified ? coming_back_ms : 0, request.signal);
    if (route !== undefined) return sandboxed(await route.running.fetch(withoutOurs(request), inward));
    if (!isVerified) return sandboxed(await nobody.fetch(request, inward));
    return sandboxed(toResponse(absences[routes.absence(slug)](), 'detail'));
  });
}

/** Why no deployment answers; a name without one has the words that another workspace's deployment has. */
const absences: Readonly<Record<Absence, () => Problem>> = {
  none: () => new Problem('not_found', 'No deployment answers here.'),
  coming_back: () =>
    new Problem('unavailable', 'Deployments are being brought back after a restart; try again.', {
      retry_after_s: 5,
    }),
  failed: () =>
    new Problem('unavailable', 'What this deployment served can’t be brought back right now.', {
      hint: 'It is tried again; the events of the deployment say why.',
      retry_after_s: 10,
    }),
};

/** Without the header that only the platform may set, and without cookies, which are those of other pages of our origin. */
function withoutOurs(request: Request): Request {
  if (!request.headers.has(ASSERTION_HEADER) && !request.headers.has('cookie')) return request;
  const headers = new Headers(request.headers);
  headers.delete(ASSERTION_HEADER);
  headers.delete('cookie');
  // Made of its parts: the server's request is a stand-in that can't be copied.
  const { method, url, signal, body } = request;
  return new Request(url, { method, headers, signal, ...(body === null ? {} : { body, duplex: 'half' }) });
}

/** Agents share our origin: whatever they answer runs in a sandbox, is what its media type says, and sets no cookies. */
function sandboxed(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.delete('set-cookie');
  headers.set('content-security-policy', 'sandbox');
  headers.set('x-content-type-options', 'nosniff');
  return new Response(response.body, { status: response.status, headers });
}
