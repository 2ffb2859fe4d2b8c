import { setTimeout } from 'node:timers/promises';
import { isOutage, Problem } from '@roadstead/kit';

interface Patience {
  /** How long the platform may be away; one minute by default. */
  readonly away_ms?: number;
  readonly wait_ms?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Retries while the platform is away, as during the seconds of a restart.
 * @throws Problem when it stays away.
 */
export async function patiently<T>(
  ask: () => Promise<T>,
  { away_ms = 60_000, wait_ms = 500, signal }: Patience = {},
): Promise<T> {
  const began = Date.now();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await ask();
    } catch (cause) {
      if (!isOutage(cause)) throw cause;
      const away_s = Math.round((Date.now() - began) / 1000);
      if (Date.now() - began >= away_ms)
        throw new Problem(
          'unavailable',
          `The platform has been away for ${away_s} s: ${(cause as Error).message} Work in progress continues when it is back.`,
          { cause },
        );
    }
    await setTimeout(wait_ms, undefined, signal ? { signal } : {});
  }
}
