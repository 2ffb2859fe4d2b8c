import { type Client, type ClientFetch, createClient } from '@roadstead/contracts';
import { type ControlPlaneContract, controlPlane } from '@roadstead/contracts/control-plane';
import { type ObservabilityContract, observability } from '@roadstead/contracts/observability';
import { type AgentAccess, type AgentClient, openAgents } from './agent-client.ts';
import { readAnswer } from './answer-reader.ts';
import { overGenerations } from './generations.ts';

/** The API to read, and the caller’s credentials. */
export interface ApiAccess {
  /** Without a trailing slash. */
  readonly base_url: string;
  readonly api_key: string;
  readonly workspace_id?: string;
  /** Used in place of the network. */
  readonly fetch?: ClientFetch;
  /** The addresses of its agents; below the API’s own origin by default. */
  readonly agents?: AgentAccess;
}

/** The clients that tools use, with the caller's own key. */
export interface Apis {
  readonly api: Client<ObservabilityContract>;
  /** The deployments, where the endpoint has any. */
  readonly control: Client<ControlPlaneContract>;
  readonly agents: AgentClient;
}

const TIMEOUT_MS = 60_000;

export function openApis({ base_url, api_key, workspace_id, fetch, agents }: ApiAccess): Apis {
  const headers = {
    'x-api-key': api_key,
    ...(workspace_id === undefined ? {} : { 'x-tenant-id': workspace_id }),
  };
  const options = {
    headers,
    fetch: fetch ?? fetchWithoutRedirects,
    read: readAnswer,
  };
  const root = base_url.replace(/\/api(\/v1)?$/, '');
  return {
    api: overGenerations(createClient(observability, { ...options, base_url })),
    control: createClient(controlPlane, { ...options, base_url: `${root}/api-host` }),
    agents: openAgents(
      agents ?? {
        pattern: `${root}/agents/{slug}`,
        base: `${root}/agents`,
        ...(fetch === undefined ? {} : { fetch }),
      },
      headers,
    ),
  };
}

/** A redirect would carry the key to an address that was not allowed; an endpoint that doesn’t answer is given up. */
export const fetchWithoutRedirects: ClientFetch = (request, { signal }) => {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  return fetch(request, {
    redirect: 'error',
    signal: signal === null ? late : AbortSignal.any([signal, late]),
  });
};
