import { createHash } from 'node:crypto';
import {
  ApiError,
  type ClientFetch,
  credentialsOf,
  firstHeaderOf,
  type Principal,
  workspaceIdOf,
} from '@roadstead/contracts';
import type { CallerContext, Verifier } from '@roadstead/http';
import { Problem, randomToken } from '@roadstead/kit';
import { type ApiAccess, openApis } from './api-client.ts';
import { type CallerAccess, endpointRefused, ENDPOINT_HEADERS } from './caller.ts';
import { chooseEndpoint, type EndpointPolicy } from './endpoint-rules.ts';

/**
 * Identifies the callers of a process of its own, without an edge before it: anyone with a key that the endpoint
 * accepts. The endpoint’s answer is cached for a while.
 */
export interface ProcessCallers {
  /** The context that an edge would provide for a request. */
  readonly inward: (headers: Headers) => Promise<CallerContext>;
  readonly verify: Verifier;
  readonly accessOf: (headers: Headers) => CallerAccess;
}

export interface ProcessCallerOptions extends EndpointPolicy {
  readonly fetch: ClientFetch;
  readonly now?: () => number;
}

const HOLDS_MS = 30_000;
const MAX_KNOWN = 1000;
/** Longer than an endpoint that answers needs; each tool reports one that doesn’t. */
const CHECK_MS = 10_000;

export function createProcessCallers(options: ProcessCallerOptions): ProcessCallers {
  const { now = Date.now } = options;
  const token = randomToken(32);
  const known = new Map<string, { readonly isTaken: boolean; readonly until: number }>();

  const accessOf = (headers: Headers): CallerAccess => {
    const endpoint = chooseEndpoint(firstHeaderOf(headers, ENDPOINT_HEADERS), options);
    if (endpoint.kind === 'refused') throw endpointRefused();
    const [api_key] = credentialsOf(headers);
    if (api_key === undefined)
      throw new Problem(
        'unauthenticated',
        'This needs an API key: send it as SERVICE-API-KEY, LANGSMITH-API-KEY, X-Api-Key or Authorization: Bearer.',
      );
    const workspace_id = workspaceIdOf(headers);
    const named = workspace_id === undefined ? {} : { workspace_id };
    return { is_own: false, base_url: endpoint.base_url, api_key, fetch: options.fetch, ...named };
  };

  const isTaken = async (access: ApiAccess, digest: string): Promise<boolean> => {
    const before = known.get(digest);
    if (before !== undefined && before.until > now()) return before.isTaken;
    const taken = await isKeyTaken(access);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(digest, { isTaken: taken, until: now() + HOLDS_MS });
    return taken;
  };

  return {
    accessOf,
    inward: async (headers) => {
      try {
        const access = accessOf(headers);
        const digest = digestOf(access);
        if (await isTaken(access, digest)) return { assertion: `${token}.${digest}` };
        return { refused: new Problem('unauthenticated', 'The endpoint doesn’t take this API key.') };
      } catch (error) {
        if (error instanceof Problem) return { refused: error };
        throw error;
      }
    },
    verify: async (assertion) => {
      const [said, digest] = assertion.split('.');
      return said === token && digest !== undefined ? principalOf(digest) : undefined;
    },
  };
}

/** Only the endpoint knows what a key may do, and it checks each call. */
const principalOf = (digest: string): Principal => ({
  workspace_id: digest,
  actor: `key:${digest}`,
  scopes: ['admin'],
});

const digestOf = ({ base_url, api_key, workspace_id = '' }: ApiAccess) =>
  createHash('sha256')
    .update(JSON.stringify([base_url, api_key, workspace_id]))
    .digest('base64url');

/** Only a 401 means that a key is invalid; any other error is left for the tools to report. */
async function isKeyTaken(access: ApiAccess): Promise<boolean> {
  const { api } = openApis(access);
  try {
    await api.listSessions({ query: { limit: 1 }, signal: AbortSignal.timeout(CHECK_MS) });
    return true;
  } catch (error) {
    return !(error instanceof ApiError && error.status === 401);
  }
}
