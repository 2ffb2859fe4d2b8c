import type { z } from 'zod';

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

/** How errors are written: FastAPI's `detail`, LangSmith's ingest form, RFC 7807, JSON-RPC 2.0, or plain text. */
export type Dialect = 'detail' | 'ingest' | 'problem' | 'jsonrpc' | 'text';

/** What an endpoint asks of a key; `grants` in `access.ts` says which scope gives what. */
export type Need = 'read' | 'write' | 'traces:write' | 'prompts:read' | 'agents:invoke' | 'listener' | 'keys';

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
  readonly needs: Need;
  readonly dialect: Dialect;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The handler reads the request's stream itself; `body` is absent. */
  readonly raw?: boolean;
  /** Largest request body in bytes; 25 MB unless said. */
  readonly max_body_bytes?: number;
  readonly success: { readonly status: 200 | 201 | 202 | 204; readonly body?: R };
  /** Stands in the specification, isn't built: answers 501. */
  readonly planned?: boolean;
}

export type Contract = Readonly<Record<string, Endpoint>>;

export type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;
export type Sent<S> = S extends z.ZodType ? z.input<S> : undefined;

type Optional = 'mounts' | 'auth' | 'needs' | 'dialect' | 'success';
type Written<P extends Shape, Q extends Shape, B extends Shape, R extends Shape> = Omit<
  Endpoint<P, Q, B, R>,
  Optional
> &
  Partial<Pick<Endpoint<P, Q, B, R>, Optional>>;

const defaults = (method: Method) =>
  ({
    mounts: [''],
    auth: 'key',
    needs: method === 'GET' ? 'read' : 'write',
    dialect: 'detail',
    success: { status: 200 },
  }) as const;

/** Writes an endpoint down; what is not said has the defaults above. */
export function endpoint<
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
  R extends Shape = undefined,
>(written: Written<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return { ...defaults(written.method), ...written };
}

/** An endpoint of the specification that isn't built: it stands in the contract and answers 501 in its dialect. */
export function planned(
  method: Method,
  path: `/${string}`,
  summary: string,
  where: Partial<Pick<Endpoint, 'mounts' | 'auth' | 'needs' | 'dialect'>> = {},
): Endpoint<undefined, undefined, undefined, undefined> & { readonly planned: true } {
  return { ...defaults(method), ...where, method, path, summary, planned: true };
}

/** Every address at which an endpoint is served, with `{name}` for parameters. */
export function addresses(endpoint: Pick<Endpoint, 'mounts' | 'path'>): string[] {
  return endpoint.mounts.map((mount) => mount + endpoint.path);
}
