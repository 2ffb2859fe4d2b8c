import type { ResourceSpec } from '@roadstead/contracts/control-plane';

/** The fields that are numbers. */
type Amount = {
  readonly [K in keyof ResourceSpec]-?: ResourceSpec[K] extends number | null | undefined ? K : never;
}[keyof ResourceSpec];

/** Each absent amount, the amount that it is derived from, and the factor; in the order in which they are derived. */
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

/** The spec with every derived amount filled in; others stay as they are. */
export function effectiveResources(spec: ResourceSpec): ResourceSpec {
  const effective = { ...spec };
  for (const [absent, follows, times] of resourceDefaults) {
    const amount = effective[follows];
    // Rounded to one decimal place, like the values that are sent.
    if (typeof amount === 'number') effective[absent] ??= Math.round(amount * times * 10) / 10;
  }
  return effective;
}
