import { type Client, createClient } from '@roadstead/contracts';
import { type ObservabilityContract, observability } from '@roadstead/contracts/observability';
import { readAnswer } from './answer-reader.ts';

/** Which API to read, and as whom. */
export interface ApiAccess {
  /** Without a trailing slash. */
  readonly base_url: string;
  readonly api_key: string;
  readonly workspace_id?: string;
  /** In place of the network. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

const TIMEOUT_MS = 60_000;

/** The observability API with the caller's own key. */
export function openApi({
  base_url,
  api_key,
  workspace_id,
  fetch,
}: ApiAccess): Client<ObservabilityContract> {
  return createClient(observability, {
    base_url,
    headers: {
      'x-api-key': api_key,
      ...(workspace_id === undefined ? {} : { 'x-tenant-id': workspace_id }),
    },
    fetch: fetch ?? fetchWithoutRedirects,
    read: readAnswer,
  });
}

/** A redirect would carry the key to an address that was not allowed. */
async function fetchWithoutRedirects(request: Request): Promise<Response> {
  return fetch(request, {
    redirect: 'error',
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
}
