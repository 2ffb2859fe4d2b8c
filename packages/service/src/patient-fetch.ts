import { setTimeout } from 'node:timers/promises';
import type { ClientFetch } from '@roadstead/contracts';

/** A service that refuses connections is being started or replaced; a call waits so long for it, and tries so often. */
const PATIENCE_MS = 2000;
const RETRY_MS = 100;

/**
 * A `fetch` for calls between our services, whose bodies are small. What refused the connection has received nothing,
 * so the call is made again.
 */
export const patientFetch: ClientFetch = async (request, init) => {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await fetch(request.clone(), init);
    } catch (error) {
      if (!wasRefused(error) || performance.now() > until) throw error;
    }
    await setTimeout(RETRY_MS, undefined, init.signal === null ? {} : { signal: init.signal });
  }
};

/** Node says in the cause what failed, of several addresses what failed first. */
function wasRefused(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code === 'ECONNREFUSED';
}
