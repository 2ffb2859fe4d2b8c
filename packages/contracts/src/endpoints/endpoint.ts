import type { z } from 'zod';
import type { Access } from './access.ts';

/**
 * An endpoint is data. From it derive the handler's types, validation, OpenAPI, the typed client, the origin's
 * router and the sweeps.
 */

type Shape = z.ZodType | undefined;

export type OtherSuccess = 202 | 204 | 206 | 207 | 303 | 304;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The kind of caller: `key` a platform credential, verified at the edge; `signed` only another of our processes, by an
 * assertion; `token` anyone with the signed address itself; `public` anybody.
 */
export type AuthKind = 'key' | 'signed' | 'token' | 'public';

/**
 * The form of errors: FastAPI's `detail`, LangSmith's ingest form, RFC 7807, JSON-RPC 2.0, OAuth's `error`, the `errors` of
 * registries of images, or plain text.
 */
export type Dialect = 'detail' | 'ingest' | 'problem' | 'jsonrpc' | 'oauth' | 'oci' | 'text';

export interface Endpoint<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends Shape = Shape,
  R extends Shape = Shape,
> {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly summary: string;
  /** Prefixes under which the path is served; `''` is the origin itself. */
  readonly mounts: readonly string[];
  readonly auth: AuthKind;
  /** The access that a key must have, or several, any of which suffices. Absent where no key is required. */
  readonly access?: Access | readonly Access[] | undefined;
  /** `one`: about a single workspace, which a key that reaches several must name. `any`: the handler decides. */
  readonly workspace: 'one' | 'any';
  readonly dialect: Dialect;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The handler reads the request's stream itself; `body` is absent. */
  readonly raw?: boolean;
  /** The media type of a raw request body; JSON by default. */
  readonly media_type?: string;
  /** The largest request body in bytes; 25 MB by default. */
  readonly max_body_bytes?: number;
  /** The most values in a JSON body that is checked by a schema; 10,000 by default. */
  readonly max_body_values?: number;
  readonly success: {
    /** The status; 101 where a WebSocket is opened. */
    readonly status: 101 | 200 | 201 | 202 | 204 | 207 | 303;
    readonly body?: R;
    /**
     * Other statuses without content: a notification that was taken, a redirect, or a copy that is still good. 206 and 207
     * have the same body: a part of it, or a part of the request succeeded.
     */
    readonly or?: OtherSuccess | readonly OtherSuccess[];
    /** The media types of an answer without a schema. */
    readonly media_types?: readonly string[];
  };
  /** The statuses of its refusals beyond those that follow from its shape (`errorStatuses`). */
  readonly errors?: readonly (400 | 401 | 403 | 404 | 409 | 412 | 416 | 426 | 429 | 501)[];
  /** A meaningful request, without its path's parameters. */
  readonly example?: Example<Q, B>;
  /** The day, `2027-01-31`, on which the service that it is compatible with removes it; it stays here. */
  readonly sunset?: `${number}-${number}-${number}`;
  /** Whether it is in the specification but refused for good: it answers 501. */
  readonly refused?: boolean;
  /** The reason for the refusal, a sentence that is the answer. */
  readonly because?: string;
}

interface Example<Q extends Shape, B extends Shape> {
  readonly query?: InputValue<Q>;
  /** The body; for a raw endpoint anything that its media type holds: text, or a value to be written as JSON. */
  readonly body?: B extends z.ZodType ? z.input<B> : unknown;
}

export type Contract = Readonly<Record<string, Endpoint>>;

export type OutputValue<S> = S extends z.ZodType ? z.output<S> : undefined;
export type InputValue<S> = S extends z.ZodType ? z.input<S> : undefined;

/** Each endpoint names who may call it: holders of an access, or callers without a key. */
type Caller =
  | { readonly auth?: 'key'; readonly access: Access | readonly Access[] }
  | { readonly auth: Exclude<AuthKind, 'key'>; readonly access?: undefined };

type Optional = 'mounts' | 'workspace' | 'dialect' | 'success';
type EndpointDefinition<P extends Shape, Q extends Shape, B extends Shape, R extends Shape> = Omit<
  Endpoint<P, Q, B, R>,
  Optional | 'auth' | 'access'
> &
  Partial<Pick<Endpoint<P, Q, B, R>, Optional>> &
  Caller;

const defaults = {
  mounts: [''],
  auth: 'key',
  workspace: 'one',
  dialect: 'detail',
  success: { status: 200 },
} as const;

/** Declares an endpoint; absent fields get the defaults above. */
export function endpoint<
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
  R extends Shape = undefined,
>(written: EndpointDefinition<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return { ...defaults, ...written };
}

type RefusalDefinition = Pick<Endpoint, 'summary'> &
  Partial<Pick<Endpoint, 'mounts' | 'dialect'>> &
  Caller & { readonly because: string };

/** Declares an endpoint of the specification that is refused for good: it answers 501 in its dialect. */
export function refusedEndpoint(
  address: `${Method} /${string}`,
  said: RefusalDefinition,
): Endpoint<undefined, undefined, undefined, undefined> & { readonly refused: true } {
  const [method, path] = address.split(' ') as [Method, `/${string}`];
  return { ...defaults, ...said, method, path, refused: true };
}

/** The accesses of which a key must have one; empty where no key is required. */
export function acceptedAccess({ access }: Pick<Endpoint, 'access'>): readonly Access[] {
  if (access === undefined) return [];
  return typeof access === 'string' ? [access] : access;
}

/** Every address at which an endpoint is served, with `{name}` for parameters. */
export function addresses(endpoint: Pick<Endpoint, 'mounts' | 'path'>): string[] {
  return endpoint.mounts.map((mount) => mount + endpoint.path);
}

/** The statuses beside that of its success with which an endpoint may succeed. */
export const otherSuccesses = ({ success }: Pick<Endpoint, 'success'>): readonly OtherSuccess[] =>
  success.or === undefined ? [] : [success.or].flat();
