import { type Client, createClient } from '@roadstead/contracts';
import type { observability } from '@roadstead/contracts/observability';
import type { Target } from '../target/target.ts';

/** Loaded only where it is used: the contract is large. */
export async function observabilityOf({ url, api_key }: Target): Promise<Client<typeof observability>> {
  const { observability: contract } = await import('@roadstead/contracts/observability');
  return createClient(contract, {
    base_url: url,
    headers: { 'x-api-key': api_key },
    fetch: (request, init) => fetch(request, { ...init, redirect: 'manual' }),
  });
}
