/**
 * The project's own app sees itself at the root of its origin, but from outside it is below the address of its
 * deployment: headers of requests inform it of that, and its own addresses in headers of answers are rewritten. Pure.
 */

/** Where a deployment is found. */
export interface Place {
  readonly origin: string;
  /** The path without a slash at its end: empty where the deployment has a host of its own. */
  readonly prefix: string;
}

export function placeOf(public_url: string): Place {
  const { origin, pathname } = new URL(public_url);
  return { origin, prefix: pathname.replace(/\/+$/, '') };
}

/** The headers that an app behind a proxy usually gets; the client's own values do not count. */
export function forwardedHeaders({ origin, prefix }: Place): Readonly<Record<string, string>> {
  const { host, protocol } = new URL(origin);
  return {
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-prefix': prefix,
  };
}

interface PlacedRequest {
  readonly place: Place;
  /** The address of the request as the app sees it. */
  readonly url: string;
  /** Whether the client asked at another address than the place: then its answer holds whole addresses. */
  readonly is_elsewhere: boolean;
}

/** Whether a request used another path or host than its deployment's. */
export function isElsewhere(
  url: string,
  { place, path }: { readonly place: Place; readonly path: string },
): boolean {
  const { host, pathname } = new URL(url);
  if (host === new URL(place.origin).host || !pathname.endsWith(path)) return false;
  const prefix = pathname.slice(0, pathname.length - path.length);
  return prefix !== '' && prefix !== place.prefix;
}

/** The headers of an answer that hold addresses, and how to rewrite each. */
const HOLDERS: Readonly<Record<string, (value: string, request: PlacedRequest) => string>> = {
  location: (value, request) => withCallbacks(outside(value, request), request),
  'content-location': outside,
  link: (value, request) =>
    value.replaceAll(/<([^<>]*)>/g, (_all, address: string) => `<${outside(address, request)}>`),
  refresh: (value, request) =>
    value.replace(
      /^(\s*[\d.]+\s*[;,]\s*url\s*=\s*)(["']?)([^"']*)/i,
      (_all, before: string, quote: string, address: string) =>
        `${before}${quote}${outside(address, request)}`,
    ),
};

/** Rewrites the app's own addresses in the headers of its answer to those at which others find them. */
export function placeHeaders(headers: Headers, request: PlacedRequest): void {
  if (request.place.prefix === '' && !request.is_elsewhere) return;
  for (const [name, placed] of Object.entries(HOLDERS)) {
    const value = headers.get(name);
    if (value === null) continue;
    const said = placed(value, request);
    if (said !== value) headers.set(name, said);
  }
}

/** The outside address of an address of the app; any other address stays as it is. */
function outside(address: string, { place, url, is_elsewhere }: PlacedRequest): string {
  const meant = URL.parse(address.trim(), url);
  if (meant === null || !isOwn(meant, place)) return address;
  const { pathname, search, hash } = meant;
  const path = `${isBelow(pathname, place) ? '' : place.prefix}${pathname}`;
  const target = `${path}${search}${hash}`;
  if (is_elsewhere || /^\s*(?:[a-z][a-z\d+.-]*:|[/\\]{2})/i.test(address)) return `${place.origin}${target}`;
  if (/^\s*[/\\]/.test(address)) return target;
  // The same relative address may lead to it from the client's place.
  const here = new URL(`${place.prefix}${new URL(url).pathname}${new URL(url).search}`, place.origin);
  return new URL(address.trim(), here).href === `${place.origin}${target}` ? address : target;
}

/** Any scheme will do: the app may not know by which one it is asked. */
const isOwn = ({ protocol, host }: URL, { origin }: Place) =>
  ['http:', 'https:'].includes(protocol) && host === new URL(origin).host;

const isBelow = (path: string, { prefix }: Place) => `${path}/`.startsWith(`${prefix}/`);

/** Parameters that tell an OAuth provider where to send somebody back to. */
const CALLBACK = /([?&](?:redirect_uri|post_logout_redirect_uri)=)([^&#]*)/g;

function withCallbacks(address: string, { place, url }: PlacedRequest): string {
  return address.replaceAll(CALLBACK, (all, before: string, encoded: string) => {
    const callback = decoded(encoded);
    if (callback === undefined || !/^https?:/i.test(callback)) return all;
    const placed = outside(callback, { place, url, is_elsewhere: false });
    return placed === callback ? all : `${before}${encodeURIComponent(placed)}`;
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
