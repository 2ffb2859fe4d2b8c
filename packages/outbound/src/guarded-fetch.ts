import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Problem } from '@roadstead/kit';
import {
  type AddressGuard,
  type AddressGuardOptions,
  createAddressGuard,
  type HostAndPort,
} from './address-guard.ts';
import { type Hop, nextHop } from './redirect-rules.ts';

/** A `fetch` for addresses that users give. */
export type GuardedFetch = (request: Request) => Promise<Response>;

/** A fetch that can also check an address, as it is written, before anything is called. */
export interface CheckingFetch extends GuardedFetch {
  /** @throws Problem `invalid`; a name is checked once it is called. */
  check(url: string): void;
}

export interface GuardedFetchOptions extends AddressGuardOptions {
  /** The limit for everything: name, connection, redirects and answer; 10 seconds by default. */
  readonly timeout_ms?: number;
  /** The limit of the answer; 1 MB by default. */
  readonly max_bytes?: number;
}

interface Guard extends AddressGuard {
  readonly max_bytes: number;
}

const MAX_REDIRECTS = 5;

/**
 * Calls hosts of the public internet only. A name is resolved once, and the connection goes to an address that was
 * checked, so that a name that resolves differently a moment later leads nowhere. A redirect is checked like the
 * first address. `redirect: 'error'` and `'manual'` of a request apply. The answer is read before it is returned.
 * @throws Problem `invalid` for an address that may not be called or an answer that is too large, `unavailable` where
 * no answer comes in time.
 */
export function createGuardedFetch({
  timeout_ms = 10_000,
  max_bytes = 1_048_576,
  ...addresses
}: GuardedFetchOptions = {}): CheckingFetch {
  const guard = { ...createAddressGuard(addresses), max_bytes };
  const guarded: GuardedFetch = async (request) => {
    const late = AbortSignal.timeout(timeout_ms);
    try {
      return await follow(guard, request, AbortSignal.any([request.signal, late]));
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof Problem) throw error;
      const why = late.aborted ? `did not answer within ${timeout_ms / 1000} s` : 'cannot be reached';
      throw new Problem('unavailable', `${new URL(request.url).host} ${why}.`, { cause: error });
    }
  };
  return Object.assign(guarded, { check: (url: string) => void checkedHost(guard, new URL(url)) });
}

async function follow(guard: Guard, request: Request, signal: AbortSignal): Promise<Response> {
  let hop: Hop = {
    url: new URL(request.url),
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: new Uint8Array(await request.arrayBuffer()),
  };
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send(guard, hop, signal);
    try {
      const { statusCode: status = 0, headers } = answer;
      const next =
        request.redirect === 'manual' ? undefined : nextHop(hop, { status, location: headers.location });
      if (next === undefined)
        return await toResponse(answer, { host: hop.url.host, max_bytes: guard.max_bytes });
      if (request.redirect === 'error' || redirects === MAX_REDIRECTS)
        throw new Problem('invalid', `${hop.url.host} redirects, which is not followed here.`);
      hop = next;
    } finally {
      answer.destroy();
    }
  }
}

async function send(
  guard: Guard,
  { url, method, headers, body }: Hop,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const at = checkedHost(guard, url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)({
    hostname: at.host,
    port: at.port,
    path: url.pathname + url.search,
    method,
    headers: {
      ...headers,
      host: url.host,
      'accept-encoding': 'identity',
      ...(body.length === 0 ? {} : { 'content-length': String(body.length) }),
    },
    agent: false,
    lookup: lookupFor(guard, at),
    signal,
  });
  request.on('response', resolve).on('error', reject).end(body);
  return promise;
}

/**
 * @throws Problem for an address that may not be called as it is written: a literal address is connected to without a
 * lookup.
 */
function checkedHost(guard: AddressGuard, url: URL): HostAndPort {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Problem('invalid', 'Only addresses with http or https can be called.');
  if (url.username !== '' || url.password !== '')
    throw new Problem('invalid', 'An address must not hold a user name or a password.');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port);
  guard.checkWritten({ host, port });
  return { host, port };
}

/** The addresses to connect to, all of which may be called. */
function lookupFor(guard: AddressGuard, at: HostAndPort): LookupFunction {
  return (_hostname, options, callback) => {
    guard.addressesOf(at).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all === true) callback(null, found);
        else if (first !== undefined) callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

async function toResponse(
  answer: IncomingMessage,
  { host, max_bytes }: { readonly host: string; readonly max_bytes: number },
): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > max_bytes) throw new Problem('invalid', `${host} answers with more than ${max_bytes} bytes.`);
    chunks.push(chunk);
  }
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headersDistinct))
    if (!ofTheConnection.has(name)) headers.set(name, value?.join(', ') ?? '');
  const body = bytes === 0 ? null : Buffer.concat(chunks);
  return new Response(body, { status, headers });
}

const ofTheConnection = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);
