/** Keyed access only: a plan that scans is always a mistake here. */
const KEYED =
  '-c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off -c enable_seqscan=off -c plan_cache_mode=force_generic_plan';

export function withKeyedPlans(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent(KEYED)}`;
}
