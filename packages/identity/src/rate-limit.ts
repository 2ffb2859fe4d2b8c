import { Problem } from '@roadstead/kit';

/** Counts attempts of each address and of all together, anew in each window of time. In this process alone. */
export interface RateLimit {
  /** @throws Problem `limit` with the seconds until the next window */
  take(address: string): void;
}

export function createRateLimit({
  per_address,
  in_total,
  window_s,
  what,
  now = Date.now,
}: {
  readonly per_address: number;
  readonly in_total: number;
  readonly window_s: number;
  /** As the refusal names it: `registrations`. */
  readonly what: string;
  readonly now?: () => number;
}): RateLimit {
  let ends = -Infinity;
  let total = 0;
  const counts = new Map<string, number>();
  return {
    take: (address) => {
      if (now() >= ends) {
        ends = now() + window_s * 1000;
        total = 0;
        counts.clear();
      }
      const count = counts.get(address) ?? 0;
      if (count >= per_address || total >= in_total)
        throw new Problem('limit', `Too many ${what}; try again later.`, {
          retry_after_s: Math.max(1, Math.ceil((ends - now()) / 1000)),
          code: 'temporarily_unavailable',
        });
      total += 1;
      counts.set(address, count + 1);
    },
  };
}
