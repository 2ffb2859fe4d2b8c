import { setTimeout } from 'node:timers/promises';
import type { Client } from '@roadstead/contracts';
import type { observability } from '@roadstead/contracts/observability';
import { patiently } from '../target/patience.ts';

export type PriceApplication = Awaited<ReturnType<Client<typeof observability>['applyModelPrices']>>;

const POLL_MS = 500;

/**
 * Waits until the prices are applied to all stored runs. An application that is requested meanwhile starts from the
 * beginning, and is waited for.
 */
export async function followApplication(
  client: Client<typeof observability>,
  {
    begun,
    onProgress,
  }: { readonly begun: PriceApplication; readonly onProgress: (seen: PriceApplication) => void },
): Promise<PriceApplication> {
  let seen = begun;
  while (seen.status !== 'done') {
    await setTimeout(POLL_MS);
    seen = await patiently(() => client.readModelPriceApplication({}));
    onProgress(seen);
  }
  return seen;
}
