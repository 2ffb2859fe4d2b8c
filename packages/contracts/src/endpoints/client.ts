import type { z } from 'zod';
import type { Contract, Endpoint } from './endpoint.ts';

/** A typed client of a contract, over any `fetch`: a network's, or one bound to the other service's handler. */

/**
 * Sends a request and answers its response. For a network it passes `init` on: Node forgets the signal that a request
 * itself carries once memory was collected.
 */
export type ClientFetch = (
  request: Request,
  init: { readonly signal: AbortSignal | null },
) => Promise<Response>;

export interface ClientOptions {
  /** The base address without a trailing slash; paths of the contract's first mount are appended. */
  readonly base_url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: ClientFetch;
  /**
   * The deadline for the whole answer, after which a call fails with status 0; a minute by default. Raw endpoints may
   * take longer.
   */
  readonly deadline_ms?: number;
  /** Reads the body of a success, where it may be too large to read at once; what it throws is passed on. */
  readonly read?: (response: Response) => Promise<unknown>;
}

const DEADLINE_MS = 60_000;

interface ApiErrorOptions extends ErrorOptions {
  readonly status: number;
  readonly body?: unknown;
}

/** An answer that is not a success; `status` 0 means that the other side could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body: unknown;
  constructor(message: string, { status, body = null, ...options }: ApiErrorOptions) {
    super(message, options);
    this.status = status;
    this.body = body;
  }
}

type Shape = z.ZodType | undefined;
type Field<Name extends string, S extends Shape> = S extends z.ZodType
  ? Record<string, never> extends z.input<S>
    ? { readonly [N in Name]?: z.input<S> }
    : { readonly [N in Name]: z.input<S> }
  : { readonly [N in Name]?: never };
type Arguments<E> =
  E extends Endpoint<infer P, infer Q, infer B, infer _R>
    ? Field<'params', P> & Field<'query', Q> & Field<'body', B> & CallExtras
    : never;
interface CallExtras {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The body of a raw endpoint. */
  readonly raw?: RequestInit['body'];
}
type Answer<E> =
  E extends Endpoint<infer _P, infer _Q, infer _B, infer R>
    ? R extends z.ZodType
      ? z.output<R>
      : undefined
    : never;

type ServedOperation<C extends Contract> = {
  [K in keyof C]: C[K] extends { readonly refused: true } ? never : K;
}[keyof C];
export type Client<C extends Contract> = {
  readonly [K in ServedOperation<C>]: (call: Arguments<C[K]>) => Promise<Answer<C[K]>>;
};

type AnyCall = CallExtras & {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
};

/** Makes methods when they are used: a contract has hundreds, and a client made for one call uses one. */
export function createClient<const C extends Contract>(contract: C, options: ClientOptions): Client<C> {
  const get = (_target: object, name: string | symbol) => {
    const endpoint = typeof name === 'string' && Object.hasOwn(contract, name) ? contract[name] : undefined;
    return endpoint && ((call: AnyCall) => send(endpoint, call, options));
  };
  return new Proxy({}, { get }) as Client<C>;
}

async function send(endpoint: Endpoint, call: AnyCall, options: ClientOptions): Promise<unknown> {
  const address =
    options.base_url + endpoint.mounts[0] + fill(endpoint.path, call.params) + queryString(call.query);
  const headers = new Headers({ accept: 'application/json', ...options.headers, ...call.headers });
  const body = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  if (call.body !== undefined) headers.set('content-type', 'application/json');
  const ask = async (deadline?: AbortSignal): Promise<{ response: Response; answer: () => unknown }> => {
    const signals = [call.signal, deadline].filter((signal) => signal !== undefined);
    const signal = signals.length === 0 ? null : AbortSignal.any(signals);
    const request = new Request(address, {
      method: endpoint.method,
      headers,
      signal,
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    });
    const response = await (options.fetch ?? fetch)(request, { signal });
    return { response, answer: await answerIn(response, options) };
  };
  const isRaw = endpoint.raw === true || call.raw !== undefined;
  const asked = isRaw ? ask() : within(options.deadline_ms ?? DEADLINE_MS, ask);
  const { response, answer } = await asked.catch((cause: unknown) => {
    // What sends the request may have been refused something else first, as a token.
    if (call.signal?.aborted || cause instanceof ApiError) throw cause;
    const why = cause === LATE ? 'does not answer in time' : 'cannot be reached';
    throw new ApiError(`${options.base_url} ${why}.`, { status: 0, cause });
  });
  const { status } = response;
  if (!response.ok)
    throw new ApiError(messageOf(answer(), { status, base_url: options.base_url }), {
      status,
      body: answer(),
    });
  if (endpoint.success.body !== undefined && typeof answer() === 'string')
    throw new ApiError(`${options.base_url} is not a Roadstead: its answer is no JSON.`, {
      status,
      body: answer(),
    });
  return answer();
}

/** Reads the body; errors of the caller's own reader are thrown once the answer is used. */
async function answerIn(response: Response, { read }: ClientOptions): Promise<() => unknown> {
  if (read === undefined || !response.ok) {
    const text = await response.text();
    const value = text === '' ? undefined : parse(text);
    return () => value;
  }
  return read(response).then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
}

const LATE = new Error('The deadline of the call is over.');

/** Rejects in time even if the called function ignores the signal. */
async function within<T>(deadline_ms: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(LATE);
    over.abort(LATE);
  }, deadline_ms);
  try {
    return await Promise.race([ask(over.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function fill(path: string, params: object = {}): string {
  return Object.entries(params).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, () => segmentOf(String(value))),
    path,
  );
}

/** Refuses a path segment that would change the address, however it is encoded. */
function segmentOf(value: string): string {
  if (value === '.' || value === '..' || value === '')
    throw new ApiError('There is nothing of this name.', { status: 404 });
  return encodeURIComponent(value);
}

function queryString(query: object = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null
      ? []
      : (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)] as [string, string]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The sentence in an error body of any dialect. */
function messageOf(
  body: unknown,
  { status, base_url }: { readonly status: number; readonly base_url: string },
): string {
  if (typeof body === 'string' && body !== '')
    return isSentence(body) ? body : `${base_url} answered ${status}, and not as a Roadstead does.`;
  const { detail, details, error, title } = (body ?? {}) as Record<string, unknown>;
  if (Array.isArray(detail)) {
    return detail
      .map((issue: { loc?: unknown[]; msg?: string }) => `${issue.loc?.join('.') ?? ''}: ${issue.msg ?? ''}`)
      .join('; ');
  }
  const sentence = [detail, details, error, title].find((value) => typeof value === 'string');
  return sentence ?? `The server answered ${status}.`;
}

/** Whether a text is a sentence of a service of ours; a page of another server is neither short nor without tags. */
const isSentence = (text: string) => text.length <= 500 && !text.trimStart().startsWith('<');
