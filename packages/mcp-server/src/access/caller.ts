import { CREDENTIAL_HEADERS, WORKSPACE_HEADERS } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import type { ApiAccess } from './api-client.ts';
import { chooseEndpoint, type EndpointPolicy } from './endpoint-rules.ts';

/** Where a caller may name the API to read. */
const ENDPOINT_HEADERS = ['service-endpoint', 'langsmith-endpoint'] as const;

/**
 * Another API knows its own keys: beside the key for us, which the edge has checked, a caller may send one for it.
 */
const OTHERS_CREDENTIAL_HEADERS = ['service-api-key', 'langsmith-api-key', 'x-api-key'] as const;

export interface CallerOptions extends EndpointPolicy {
  /** The origin itself; calls to our own API never leave the process. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * What a request lets the tools do: read one API, with the caller's own key.
 * @throws Problem `forbidden` where it names an endpoint that is neither ours nor allowed
 */
export function accessOf(headers: Headers, options: CallerOptions): ApiAccess {
  const endpoint = chooseEndpoint(firstOf(headers, ENDPOINT_HEADERS), options);
  if (endpoint.kind === 'refused')
    throw new Problem('forbidden', 'SERVICE-ENDPOINT names an address that this server may not call.', {
      hint: 'Leave the header out to read from here; the operator allows others by ROADSTEAD_MCP_ENDPOINTS.',
    });
  const own = endpoint.kind === 'own';
  const workspace_id = firstOf(headers, WORKSPACE_HEADERS);
  return {
    base_url: endpoint.base_url,
    // The order is the edge's: of several keys, the one that it checked.
    api_key: firstOf(headers, own ? CREDENTIAL_HEADERS : OTHERS_CREDENTIAL_HEADERS) ?? bearerOf(headers),
    ...(workspace_id === undefined ? {} : { workspace_id }),
    ...(own ? { fetch: options.fetch } : {}),
  };
}

const bearerOf = (headers: Headers) =>
  /^Bearer\s+(\S+)$/i.exec(headers.get('authorization')?.trim() ?? '')?.[1] ?? '';

function firstOf(headers: Headers, names: readonly string[]): string | undefined {
  return names.map((name) => headers.get(name)?.trim()).find((value) => value !== undefined && value !== '');
}
