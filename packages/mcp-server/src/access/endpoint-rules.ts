/**
 * Decides which API a caller may have the tools read: ours, or one that the operator allowed. Nobody else gets to see
 * a key.
 */

export interface EndpointPolicy {
  /** Our own API, such as `http://127.0.0.1:4100/api`. */
  readonly api_url: string;
  /** Other endpoints that may be named. */
  readonly allowed_endpoints: readonly string[];
}

export type EndpointChoice =
  | { readonly kind: 'own'; readonly base_url: string }
  | { readonly kind: 'allowed'; readonly base_url: string }
  | { readonly kind: 'refused' };

/** Paths that clients use as a base; all of them are served. */
const OWN_PATHS: ReadonlySet<string> = new Set(['', '/api', '/api/v1']);

/** @param named the caller’s choice; ours when absent or blank. */
export function chooseEndpoint(named: string | undefined, policy: EndpointPolicy): EndpointChoice {
  const own = { kind: 'own', base_url: policy.api_url.replace(/\/+$/, '') } as const;
  if (named === undefined || named.trim() === '') return own;
  const address = addressOf(named);
  if (address === undefined) return { kind: 'refused' };
  const ours = addressOf(policy.api_url);
  if (ours !== undefined && isOurs(address, ours)) return own;
  const isAllowed = policy.allowed_endpoints.some((allowed) => addressOf(allowed)?.text === address.text);
  return isAllowed ? { kind: 'allowed', base_url: address.text } : { kind: 'refused' };
}

interface Address {
  /** The origin, with every loopback name replaced by the same one. */
  readonly place: string;
  readonly path: string;
  readonly text: string;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Undefined unless it is a plain http(s) address: with a user, a query or a fragment, it could mean another place.
 */
function addressOf(text: string): Address | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  const path = url.pathname.replace(/\/+$/, '');
  const place = LOOPBACK.has(url.hostname) ? `${url.protocol}//loopback:${url.port}` : url.origin;
  return { place, path, text: url.origin + path };
}

function isOurs(address: Address, ours: Address): boolean {
  if (address.place !== ours.place) return false;
  const root = ours.path.replace(/\/api$/, '');
  return address.path.startsWith(root) && OWN_PATHS.has(address.path.slice(root.length));
}

/**
 * Whether a browser's page of this origin may call: one of this machine or of our own address. A request without an
 * origin is not from a page.
 */
export function isAllowedOrigin(origin: string | null, api_url: string): boolean {
  if (origin === null || origin === '') return true;
  const host = URL.parse(origin)?.hostname;
  return host !== undefined && (LOOPBACK.has(host) || host === URL.parse(api_url)?.hostname);
}
