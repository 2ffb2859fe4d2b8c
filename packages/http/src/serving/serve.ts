import { Hono } from 'hono';
import type { z } from 'zod';
import {
  acceptedAccess,
  addresses,
  ALL_WORKSPACES,
  allows,
  type Contract,
  type Endpoint,
  errorStatuses,
  otherSuccesses,
  type OutputValue,
  type Principal,
} from '@roadstead/contracts';
import { type AllowedMethods, allowedMethods } from './allowed-methods-rules.ts';
import type { Verifier } from './assertions.ts';
import { toResponse } from '../answers/dialects.ts';
import { HELD_BODY_BYTES, HeldBodies, type Log, problemOf, Problem } from '@roadstead/kit';
import { type CallerContext, inwardOf } from './inward.ts';
import { lineSafeAnswer } from '../answers/line-safe-answer.ts';
import { parseRequest } from './parse-request.ts';
import { jsonResponse } from '../answers/text-response.ts';

export interface Call<P = unknown, Q = unknown, B = unknown> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The caller; for `public` and `token` endpoints an empty principal without scopes. */
  readonly principal: Principal;
  readonly workspace_id: string;
  /** The caller's network address, as the edge saw it; empty where it is not known. */
  readonly address: string;
  readonly request: Request;
  readonly signal: AbortSignal;
}

type Answer<R> = R extends z.ZodType ? z.input<R> | Response : Response | void;
export type Handler<E> =
  E extends Endpoint<infer P, infer Q, infer B, infer R>
    ? (call: Call<OutputValue<P>, OutputValue<Q>, OutputValue<B>>) => Promise<Answer<R>>
    : never;

/** A handler for every endpoint that is implemented. */
export type Handlers<C extends Contract> = {
  readonly [K in keyof C as C[K] extends { readonly refused: true } ? never : K]: Handler<C[K]>;
};

export interface ServeOptions {
  readonly service: string;
  readonly verify: Verifier;
  readonly log: Log;
  /** Called for every answer, for counters. */
  readonly onAnswer?: (operation: string, status: number, took_ms: number) => void;
  /** Tests check each answer against the statuses and the schema of its endpoint. */
  readonly check_answers?: boolean;
}

export interface RequestHandler {
  fetch(request: Request, inward?: CallerContext): Promise<Response>;
}

/** Bounds the bodies under way, per workspace, and per address of callers without a key. */
const bodies = new HeldBodies(HELD_BODY_BYTES);

const nobody: Principal = { workspace_id: '', actor: 'nobody', scopes: [] };
type AnyHandler = (call: Call) => Promise<unknown>;

/** Serves a contract: 401, then 501 where refused, 403, then validation, then the handler; problems in its dialect. */
export function serve<const C extends Contract>(
  contract: C,
  handlers: Handlers<C>,
  options: ServeOptions,
): RequestHandler {
  const app = new Hono<{ Bindings: CallerContext }>({
    getPath: (request, extra) => extra?.env?.path ?? pathOf(request.url),
  });
  for (const [operation, endpoint] of Object.entries<Endpoint>(contract)) {
    const handle = (handlers as Readonly<Record<string, AnyHandler>>)[operation];
    if (handle === undefined && endpoint.refused !== true)
      throw new Error(`${options.service}: ${operation} has no handler`);
    for (const address of addresses(endpoint)) {
      const path = address.replaceAll(/\{(\w+)\}/g, ':$1');
      app.on(endpoint.method, path, async (c) =>
        answer(
          { operation, endpoint, handle, options },
          { request: c.req.raw, inward: c.env, path: c.req.param() },
        ),
      );
    }
  }
  const allowed = allowedMethods(contract);
  app.notFound((c) => withoutHandler(c.req, allowed(c.req.path)));
  return {
    fetch: async (request, inward = inwardOf(request)) =>
      lineSafeAnswer(await withoutTrailingSlash(app, request, inward)),
  };
}

/** Answers where no endpoint does: `OPTIONS`, a method that the address does not have, or an unknown address. */
function withoutHandler(
  { method, path }: { readonly method: string; readonly path: string },
  allowed: AllowedMethods | undefined,
): Response {
  if (allowed === undefined)
    return toResponse(new Problem('not_found', `Nothing is served at ${path}.`), 'detail');
  const allow = allowed.methods.join(', ');
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
  const refusal = new Problem('method_not_allowed', `This address answers ${allow} only.`, {
    headers: { allow },
  });
  return toResponse(refusal, allowed.endpoint.dialect);
}

/** Serves `/repos/` like `/repos`: clients send both. */
async function withoutTrailingSlash(
  app: Hono<{ Bindings: CallerContext }>,
  request: Request,
  inward: CallerContext,
): Promise<Response> {
  const path = inward.path ?? pathOf(request.url);
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return app.fetch(request, { ...inward, path: trimmed });
}

interface Operation {
  readonly operation: string;
  readonly endpoint: Endpoint;
  /** Undefined where it is refused. */
  readonly handle: AnyHandler | undefined;
  readonly options: ServeOptions;
}

interface IncomingCall {
  readonly request: Request;
  readonly inward: CallerContext;
  /** The parameters in the path. */
  readonly path: object;
}

async function answer(served: Operation, incoming: IncomingCall): Promise<Response> {
  const { operation, endpoint, options } = served;
  const began = performance.now();
  const response = await attempt(served, incoming).catch((error: unknown) => {
    const problem = problemOf(error);
    if (problem !== undefined) return toResponse(problem, endpoint.dialect);
    const request_id = crypto.randomUUID();
    options.log.error('request failed', { request_id, operation, error });
    return toResponse(
      new Problem('internal', `Something went wrong here; the log has it under ${request_id}.`),
      endpoint.dialect,
    );
  });
  for (const [name, value] of Object.entries(sunsetHeaders(endpoint))) response.headers.set(name, value);
  options.onAnswer?.(operation, response.status, performance.now() - began);
  // A caller who has gone gets no answer of any status.
  if (options.check_answers === true && !incoming.request.signal.aborted)
    checkStatus(operation, endpoint, response.status);
  if (incoming.request.method !== 'HEAD' || response.body === null) return response;
  // Nobody reads it, and it may hold a file or a connection.
  await response.body.cancel();
  return new Response(null, response);
}

/** The headers that LangSmith sends (RFC 8594; its `Deprecation` is from before RFC 9745). */
function sunsetHeaders({ sunset }: Endpoint): Readonly<Record<string, string>> {
  if (sunset === undefined) return {};
  return { deprecation: 'true', sunset: new Date(`${sunset}T00:00:00Z`).toUTCString() };
}

async function attempt(
  { operation, endpoint, handle, options }: Operation,
  { request, inward, path }: IncomingCall,
): Promise<Response> {
  const principal = await authenticate(endpoint, { inward, verify: options.verify });
  if (handle === undefined) {
    const { method, path, summary, because } = endpoint;
    throw new Problem('not_implemented', because ?? `${method} ${path} (${summary}) is refused.`);
  }
  if (principal !== nobody) authorize(endpoint, principal);
  using held = bodies.open(principal === nobody ? `address ${inward.address ?? ''}` : principal.workspace_id);
  const call = await parseRequest(endpoint, { request, path, held });
  const answered = await handle({
    ...call,
    principal,
    workspace_id: principal.workspace_id,
    address: inward.address ?? '',
    request,
    signal: request.signal,
  });
  if (answered instanceof Response) return answered;
  if (options.check_answers === true) checkAnswer(operation, endpoint, answered);
  const { status } = endpoint.success;
  return answered === undefined
    ? new Response(null, { status })
    : jsonResponse(JSON.stringify(answered), { status });
}

async function authenticate(
  endpoint: Endpoint,
  { inward, verify }: { readonly inward: CallerContext; readonly verify: Verifier },
): Promise<Principal> {
  if (endpoint.auth === 'public' || endpoint.auth === 'token') return nobody;
  if (endpoint.auth === 'key' && inward.identify !== undefined) return inward.identify();
  const principal = inward.assertion === undefined ? undefined : await verify(inward.assertion);
  if (principal === undefined || (endpoint.auth === 'signed' && !principal.actor.startsWith('service:'))) {
    throw (
      inward.refused ??
      new Problem('unauthenticated', 'This needs an API key: send it as the header X-Api-Key.')
    );
  }
  return principal;
}

function authorize(endpoint: Endpoint, { scopes, workspace_id }: Principal): void {
  const accepted = acceptedAccess(endpoint);
  if (endpoint.auth === 'key' && !allows(scopes, accepted))
    throw new Problem('forbidden', `This key lacks the scope ${accepted.join(' or ')}.`);
  if (endpoint.workspace === 'one' && workspace_id === ALL_WORKSPACES)
    throw new Problem('forbidden', 'This key requires workspace specification: send X-Tenant-Id.', {
      code: 'org_scoped_key_requires_workspace',
    });
}

function pathOf(url: string): string {
  return /^[a-z]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? '/';
}

function checkStatus(operation: string, endpoint: Endpoint, status: number): void {
  const { success } = endpoint;
  const listed: readonly number[] = [
    success.status,
    ...otherSuccesses(endpoint),
    ...errorStatuses(endpoint),
    500,
  ];
  if (!listed.includes(status))
    throw new Error(`${operation} answered ${status}, which its contract does not list under \`errors\`.`);
}

function checkAnswer(operation: string, endpoint: Endpoint, answered: unknown): void {
  const result = endpoint.success.body?.safeParse(answered);
  if (result !== undefined && !result.success) {
    throw new Error(
      `${operation} answered what its contract does not allow: ${JSON.stringify(result.error.issues)}`,
    );
  }
}
