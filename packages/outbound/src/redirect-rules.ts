import { Problem } from '@roadstead/kit';

/** One request in a chain of redirects. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
}

const redirects: readonly number[] = [301, 302, 303, 307, 308];
/** Headers that another origin may see; keys and signatures are for the first one. */
const harmless: readonly string[] = ['accept', 'accept-language', 'content-type', 'user-agent'];

/**
 * The request that a redirect asks for, or undefined where the answer is no redirect.
 * @throws Problem where it leads nowhere, or from https to http.
 */
export function nextHop(hop: Hop, { status, location }: Answer): Hop | undefined {
  if (!redirects.includes(status) || location === undefined) return undefined;
  const url = URL.parse(location, hop.url.href);
  if (url === null || (hop.url.protocol === 'https:' && url.protocol === 'http:'))
    throw new Problem('invalid', `${hop.url.host} redirects to an address that may not be called.`);
  const becomesGet = (status === 303 && hop.method !== 'HEAD') || (status <= 302 && hop.method === 'POST');
  const headers = Object.entries(hop.headers).filter(
    ([name]) =>
      (url.origin === hop.url.origin || harmless.includes(name)) &&
      !(becomesGet && name.startsWith('content-')),
  );
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(headers),
    body: becomesGet ? new Uint8Array() : hop.body,
  };
}
