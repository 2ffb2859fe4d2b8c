import { acceptedAccess, type Endpoint, parameterNames } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';

/**
 * Unknown parameters are refused instead of ignored: a client once took the only result of an ignored filter for its
 * own and overwrote it.
 */

/** Filters of the original that have nothing to filter by here. */
const inapplicable: Readonly<Record<string, string>> = {
  agent_id: 'deployments belong to no agents here',
  agent_environment: 'deployments belong to no agents here',
  tag_value_ids: 'deployments have no tags here',
  run_id: 'lines of a log name no run here',
};

/** Throws `invalid` for query parameters that the endpoint does not know. Listeners may be newer than we are. */
export function checkParameters(endpoint: Endpoint, url: string): void {
  if (endpoint.auth !== 'key' || acceptedAccess(endpoint).includes('listener')) return;
  const known = parameterNames(endpoint.query);
  const unknown = [...new Set(new URL(url).searchParams.keys())].filter((name) => !known.includes(name));
  const [first] = unknown;
  if (first === undefined) return;
  const reasons = unknown.flatMap((name) => inapplicable[name] ?? []);
  const why = reasons.length > 0 ? `: ${[...new Set(reasons)].join(', and ')}` : '';
  throw new Problem(
    'invalid',
    `These query parameters cannot be applied: ${unknown.map(shortened).join(', ')}${why}.`,
    { hint: known.length === 0 ? 'There are none here.' : `Known are ${known.join(', ')}.` },
  );
}

const shortened = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name);
