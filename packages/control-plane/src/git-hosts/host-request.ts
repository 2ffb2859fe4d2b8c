import { type IntegrationKind } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { GuardedFetch } from '@roadstead/outbound';

/** Calls the API of a git host. */

export interface HostRequest {
  readonly kind: Exclude<IntegrationKind, 'generic'>;
  readonly host: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly authorization: string;
}

export interface HostAnswer {
  readonly body: unknown;
  /** There is another page after this one. */
  readonly has_next: boolean;
}

const apiOf: Readonly<Record<HostRequest['kind'], (host: string) => string>> = {
  github: (host) => (host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`),
  gitlab: (host) => `https://${host}/api/v4`,
  gitea: (host) => `https://${host}/api/v1`,
};

const RETRY_S = 30;

/**
 * Throws `invalid` where the host refuses, and `unavailable` where it can't answer now. None of its words are passed
 * on.
 */
export async function askHost(outbound: GuardedFetch, request: HostRequest): Promise<HostAnswer> {
  const { kind, host, path, method = 'GET', authorization } = request;
  const answer = await outbound(
    new Request(`${apiOf[kind](host)}${path}`, {
      method,
      headers: { accept: 'application/json', 'user-agent': 'roadstead', authorization },
      // A credential goes to its own host only.
      redirect: 'error',
    }),
  );
  const { status } = answer;
  if (status === 429 || status >= 500)
    throw new Problem('unavailable', `${host} can't answer right now (${status}).`, {
      retry_after_s: RETRY_S,
    });
  if (status === 401 || status === 403 || status === 404)
    throw new Problem('invalid', `${host} refuses the credential of the integration (${status}).`, {
      hint: 'It may have been revoked, or may lack access: PATCH the integration with another one.',
    });
  if (status >= 300) throw new Problem('invalid', `${host} answered with status ${status}.`);
  const has_next = /;\s*rel="?next"?/i.test(answer.headers.get('link') ?? '');
  const body: unknown = await answer.json().catch((cause: unknown) => {
    throw new Problem('unavailable', `${host} answered with something that is not JSON.`, { cause });
  });
  return { body, has_next };
}
