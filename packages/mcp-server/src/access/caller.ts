import { type ClientFetch, credentialsOf, firstHeaderOf, workspaceIdOf } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import type { AgentAccess } from './agent-client.ts';
import type { ApiAccess } from './api-client.ts';
import { chooseEndpoint, type EndpointPolicy } from './endpoint-rules.ts';

/** Headers in which a caller may name the API to read. */
export const ENDPOINT_HEADERS = ['service-endpoint', 'langsmith-endpoint'] as const;

export interface CallerAccess extends ApiAccess {
  /** Whether it is our own API, to which the caller’s principal belongs. */
  readonly is_own: boolean;
}

export interface CallerOptions extends EndpointPolicy {
  /** The origin itself; calls to our own API never leave the process. */
  readonly fetch: ClientFetch;
  /** The addresses of our own agents; below the API’s origin by default. */
  readonly agents?: AgentAccess;
}

/**
 * The access that a request gives the tools: to one API, with the caller's own key.
 * @throws Problem `forbidden` where it names an endpoint that is neither ours nor allowed
 */
export function accessOf(headers: Headers, options: CallerOptions): CallerAccess {
  const endpoint = chooseEndpoint(firstHeaderOf(headers, ENDPOINT_HEADERS), options);
  if (endpoint.kind === 'refused') throw endpointRefused();
  const workspace_id = workspaceIdOf(headers);
  // The order is the edge's: the first credential is the one that it verified, and is for us alone.
  const [ours = '', ...others] = credentialsOf(headers);
  const own = endpoint.kind === 'own';
  const theirs = others.find((one) => one !== ours);
  if (!own && theirs === undefined)
    throw new Problem('forbidden', 'The endpoint that SERVICE-ENDPOINT names needs a key of its own.', {
      hint: 'Send the key for here as X-Api-Key and the one for there as SERVICE-API-KEY.',
    });
  return {
    is_own: own,
    base_url: endpoint.base_url,
    api_key: own ? ours : (theirs ?? ''),
    ...(workspace_id === undefined ? {} : { workspace_id }),
    ...(own ? { fetch: options.fetch } : {}),
    ...(own && options.agents !== undefined ? { agents: options.agents } : {}),
  };
}

export function endpointRefused(): Problem {
  return new Problem('forbidden', 'SERVICE-ENDPOINT names an address that this server may not call.', {
    hint: 'Leave the header out to read from here; the operator allows others by ROADSTEAD_MCP_ENDPOINTS.',
  });
}
