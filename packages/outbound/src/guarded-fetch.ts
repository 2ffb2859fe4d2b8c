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
  /** Whether the answer is passed on while it comes. */
  readonly streams: boolean;
}

const MAX_REDIRECTS = 5;

/**
 * Calls hosts of the public internet only. A name is resolved once, and the connection goes to an address that was
 * checked, so that a name that resolves differently a moment later leads nowhere. A redirect is checked like the
 * first address. `redirect: 'error'` and `'manual'` of a request apply. The answer is read before it is returned.
 * @throws Problem `invalid` for an address that may not be called or an answer that is too large, `unavailable` where
 * no answer comes in time.
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): CheckingFetch {
  return guardedFetch({ timeout_ms: 10_000, max_bytes: 1_048_576, ...options }, { streams: false });
}

/**
 * The same for answers that are read while they come: of ten minutes and 64 MB at most, unless said. The limits hold
 * for the body as well; a body that is cancelled, or a request that is aborted, ends the connection.
 */
export function createGuardedStream(options: GuardedFetchOptions = {}): CheckingFetch {
  return guardedFetch({ timeout_ms: 600_000, max_bytes: 67_108_864, ...options }, { streams: true });
}

function guardedFetch(
  {
    timeout_ms,
    max_bytes,
    ...addresses
  }: GuardedFetchOptions & Required<Pick<GuardedFetchOptions, 'timeout_ms' | 'max_bytes'>>,
  { streams }: Pick<Guard, 'streams'>,
): CheckingFetch {
  const guard = { ...createAddressGuard(addresses), max_bytes, streams };
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
    let isHandedOn = false;
    try {
      const { statusCode: status = 0, headers } = answer;
      const next =
        request.redirect === 'manual' ? undefined : nextHop(hop, { status, location: headers.location });
      if (next === undefined) {
        const limit = { host: hop.url.host, max_bytes: guard.max_bytes };
        isHandedOn = guard.streams;
        return guard.streams
          ? responseTo(answer, bodyOf(answer, limit))
          : responseTo(answer, await wholeBody(answer, limit));
      }
      if (request.redirect === 'error' || redirects === MAX_REDIRECTS)
        throw new Problem('invalid', `${hop.url.host} redirects, which is not followed here.`);
      hop = next;
    } finally {
      if (!isHandedOn) answer.destroy();
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

interface AnswerLimit {
  readonly host: string;
  readonly max_bytes: number;
}

async function wholeBody(answer: IncomingMessage, limit: AnswerLimit): Promise<Buffer<ArrayBuffer> | null> {
  const chunks = await Array.fromAsync(limitedChunks(answer, limit));
  return chunks.length === 0 ? null : Buffer.concat(chunks);
}

/** The bytes as they come; nothing is read ahead of the reader. */
function bodyOf(answer: IncomingMessage, limit: AnswerLimit): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = limitedChunks(answer, limit);
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          answer.destroy();
          controller.error(
            error instanceof Problem
              ? error
              : new Problem('unavailable', `The answer of ${limit.host} broke off.`, { cause: error }),
          );
        }
      },
      cancel: () => void answer.destroy(),
    },
    { highWaterMark: 0 },
  );
}

async function* limitedChunks(
  answer: IncomingMessage,
  { host, max_bytes }: AnswerLimit,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    bytes += chunk.length;
    if (bytes > max_bytes) throw new Problem('invalid', `${host} answers with more than ${max_bytes} bytes.`);
    yield chunk;
  }
}

function responseTo(
  answer: IncomingMessage,
  body: Buffer<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headersDistinct))
    if (!ofTheConnection.has(name)) headers.set(name, value?.join(', ') ?? '');
  const status = answer.statusCode ?? 0;
  return new Response(bodiless.has(status) ? null : body, { status, headers });
}

/** A response of these statuses may have no body. */
const bodiless = new Set([101, 204, 205, 304]);

const ofTheConnection = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);
