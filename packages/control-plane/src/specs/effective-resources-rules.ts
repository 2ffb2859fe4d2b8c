import type { ResourceSpec } from '@roadstead/contracts/control-plane';

/** The fields that are numbers. */
type Amount = {
  readonly [K in keyof ResourceSpec]-?: ResourceSpec[K] extends number | null | undefined ? K : never;
}[keyof ResourceSpec];

/** What an absent amount follows, and how many times that; in the order in which they follow each other. */
export const resourceDefaults: readonly (readonly [absent: Amount, follows: Amount, times: number])[] = [
  ['cpu_limit', 'cpu', 2],
  ['memory_limit_mb', 'memory_mb', 2],
  ['queue_min_scale', 'min_scale', 1],
  ['queue_max_scale', 'max_scale', 1],
  ['queue_cpu', 'cpu', 1],
  ['queue_cpu_limit', 'queue_cpu', 2],
  ['queue_memory_mb', 'memory_mb', 1],
  ['queue_memory_limit_mb', 'queue_memory_mb', 2],
  ['cache_cpu_limit', 'cache_cpu', 2],
  ['cache_memory_limit_mb', 'cache_memory_mb', 1],
  ['db_cpu_limit', 'db_cpu', 2],
  ['db_memory_limit_mb', 'db_memory_mb', 2],
];

/** With every amount that follows from another one; what follows from none stays as it is. */
export function effectiveResources(spec: ResourceSpec): ResourceSpec {
  const effective = { ...spec };
  for (const [absent, follows, times] of resourceDefaults) {
    const amount = effective[follows];
    // To one decimal place, as what is sent.
    if (typeof amount === 'number') effective[absent] ??= Math.round(amount * times * 10) / 10;
  }
  return effective;
}
