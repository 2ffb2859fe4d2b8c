import type { z } from 'zod';
import type { Access } from './access.ts';

/**
 * An endpoint is data. From it derive the handler's types, validation, OpenAPI, the typed client, the origin's
 * router and the sweeps.
 */

type Shape = z.ZodType | undefined;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call: `key` a platform credential, verified at the edge; `signed` only another of our processes, by an
 * assertion; `token` whoever holds the signed address itself; `public` anybody.
 */
export type AuthKind = 'key' | 'signed' | 'token' | 'public';

/** How errors are written: FastAPI's `detail`, LangSmith's ingest form, RFC 7807, JSON-RPC 2.0, OAuth's `error`, or plain text. */
export type Dialect = 'detail' | 'ingest' | 'problem' | 'jsonrpc' | 'oauth' | 'text';

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
  /** Which access a key must have; of several any one will do. Absent where no key is asked for. */
  readonly access?: Access | readonly Access[] | undefined;
  /** `one`: about a single workspace, which a key that reaches several must name. `any`: the handler decides. */
  readonly workspace: 'one' | 'any';
  readonly dialect: Dialect;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The handler reads the request's stream itself; `body` is absent. */
  readonly raw?: boolean;
  /** Of a raw request body; JSON unless said. */
  readonly media_type?: string;
  /** Largest request body in bytes; 25 MB unless said. */
  readonly max_body_bytes?: number;
  /** Most values in a JSON body that is checked by a schema; 10,000 unless said. */
  readonly max_body_values?: number;
  readonly success: {
    /** 101: a WebSocket is taken up. */
    readonly status: 101 | 200 | 201 | 202 | 204 | 207 | 303;
    readonly body?: R;
    /**
     * Where there is nothing to say: a notification that was taken, a step elsewhere, or a copy that is still good. 207 has
     * the same body: a part of it succeeded.
     */
    readonly or?: 202 | 204 | 207 | 303 | 304;
    /** Of an answer without a schema. */
    readonly media_types?: readonly string[];
  };
  /** What it refuses beyond what follows from its shape (`errorStatuses`). */
  readonly errors?: readonly (400 | 401 | 403 | 404 | 409 | 412 | 426 | 429 | 501)[];
  /** A request that means something, without its path's parameters. */
  readonly example?: Example<Q, B>;
  /** The day, `2027-01-31`, on which the service that it is compatible with removes it; it stays here. */
  readonly sunset?: `${number}-${number}-${number}`;
  /** Stands in the specification, isn't built: answers 501. */
  readonly planned?: boolean;
  /** Why it never will be, in a sentence that is the answer. */
  readonly because?: string;
}

interface Example<Q extends Shape, B extends Shape> {
  readonly query?: Sent<Q>;
  /** Of a raw endpoint whatever its media type holds: text, or what JSON is made of. */
  readonly body?: B extends z.ZodType ? z.input<B> : unknown;
}

export type Contract = Readonly<Record<string, Endpoint>>;

export type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
export type Sent<S> = S extends z.ZodType ? z.input<S> : undefined;

/** Who may call is said by each endpoint: an access, or that no key is asked for. */
type Caller =
  | { readonly auth?: 'key'; readonly access: Access | readonly Access[] }
  | { readonly auth: Exclude<AuthKind, 'key'>; readonly access?: undefined };

type Optional = 'mounts' | 'workspace' | 'dialect' | 'success';
type Written<P extends Shape, Q extends Shape, B extends Shape, R extends Shape> = Omit<
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

/** Writes an endpoint down; what is not said has the defaults above. */
export function endpoint<
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
  R extends Shape = undefined,
>(written: Written<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return { ...defaults, ...written };
}

type Planned = Pick<Endpoint, 'summary'> & Partial<Pick<Endpoint, 'mounts' | 'dialect' | 'because'>> & Caller;

/** An endpoint of the specification that isn't built: it stands in the contract and answers 501 in its dialect. */
export function planned(
  address: `${Method} /${string}`,
  said: Planned,
): Endpoint<undefined, undefined, undefined, undefined> & { readonly planned: true } {
  const [method, path] = address.split(' ') as [Method, `/${string}`];
  return { ...defaults, ...said, method, path, planned: true };
}

/** The accesses of which a key must have one; none where no key is asked for. */
export function acceptedAccess({ access }: Pick<Endpoint, 'access'>): readonly Access[] {
  if (access === undefined) return [];
  return typeof access === 'string' ? [access] : access;
}

/** Every address at which an endpoint is served, with `{name}` for parameters. */
export function addresses(endpoint: Pick<Endpoint, 'mounts' | 'path'>): string[] {
  return endpoint.mounts.map((mount) => mount + endpoint.path);
}
