/**
 * The project's own app takes itself for the root of its origin. Outside it stands below the address of its deployment: where it is
 * told so, and what it says of its own addresses is told so to others. Pure.
 */

/** Where a deployment is found. */
export interface Place {
  readonly origin: string;
  /** Without a slash at its end: empty at a host of its own. */
  readonly prefix: string;
}

export function placeOf(public_url: string): Place {
  const { origin, pathname } = new URL(public_url);
  return { origin, prefix: pathname.replace(/\/+$/, '') };
}

/** What an app behind a proxy is usually told; whatever the client says of it does not count. */
export function forwardedHeaders({ origin, prefix }: Place): Readonly<Record<string, string>> {
  const { host, protocol } = new URL(origin);
  return {
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-prefix': prefix,
  };
}

interface Asked {
  readonly place: Place;
  /** Of the request, as the app has it. */
  readonly url: string;
  /** Whether the client asked somewhere else than at the place: then it is told whole addresses. */
  readonly is_elsewhere: boolean;
}

/** Whether a request was made below another path, at another host, than where its deployment is found. */
export function isElsewhere(
  url: string,
  { place, path }: { readonly place: Place; readonly path: string },
): boolean {
  const { host, pathname } = new URL(url);
  if (host === new URL(place.origin).host || !pathname.endsWith(path)) return false;
  const prefix = pathname.slice(0, pathname.length - path.length);
  return prefix !== '' && prefix !== place.prefix;
}

/** The headers of an answer that hold addresses, and how. */
const HOLDERS: Readonly<Record<string, (value: string, asked: Asked) => string>> = {
  location: (value, asked) => withCallbacks(outside(value, asked), asked),
  'content-location': outside,
  link: (value, asked) =>
    value.replaceAll(/<([^<>]*)>/g, (_all, address: string) => `<${outside(address, asked)}>`),
  refresh: (value, asked) =>
    value.replace(
      /^(\s*[\d.]+\s*[;,]\s*url\s*=\s*)(["']?)([^"']*)/i,
      (_all, before: string, quote: string, address: string) => `${before}${quote}${outside(address, asked)}`,
    ),
};

/** Has the addresses of the app in the headers of its answer stand where they are found. */
export function placeHeaders(headers: Headers, asked: Asked): void {
  if (asked.place.prefix === '' && !asked.is_elsewhere) return;
  for (const [name, placed] of Object.entries(HOLDERS)) {
    const value = headers.get(name);
    if (value === null) continue;
    const said = placed(value, asked);
    if (said !== value) headers.set(name, said);
  }
}

/** An address of the app as others find it; any other address as it is. */
function outside(address: string, { place, url, is_elsewhere }: Asked): string {
  const meant = URL.parse(address.trim(), url);
  if (meant === null || !isOwn(meant, place)) return address;
  const { pathname, search, hash } = meant;
  const path = `${isBelow(pathname, place) ? '' : place.prefix}${pathname}`;
  const target = `${path}${search}${hash}`;
  if (is_elsewhere || /^\s*(?:[a-z][a-z\d+.-]*:|[/\\]{2})/i.test(address)) return `${place.origin}${target}`;
  if (/^\s*[/\\]/.test(address)) return target;
  // From where its client is it may lead to the same.
  const here = new URL(`${place.prefix}${new URL(url).pathname}${new URL(url).search}`, place.origin);
  return new URL(address.trim(), here).href === `${place.origin}${target}` ? address : target;
}

/** Whatever scheme the app takes itself to be asked by. */
const isOwn = ({ protocol, host }: URL, { origin }: Place) =>
  ['http:', 'https:'].includes(protocol) && host === new URL(origin).host;

const isBelow = (path: string, { prefix }: Place) => `${path}/`.startsWith(`${prefix}/`);

/** By these others are told where to send somebody back to: whoever authorizes by OAuth. */
const CALLBACK = /([?&](?:redirect_uri|post_logout_redirect_uri)=)([^&#]*)/g;

function withCallbacks(address: string, { place, url }: Asked): string {
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
