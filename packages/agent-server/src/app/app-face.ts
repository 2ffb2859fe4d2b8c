import { addressForCode, headersForCode } from '@roadstead/contracts';
import { agentServer } from '@roadstead/contracts/agent-server';
import type { AppDescription } from '@roadstead/contracts/host';
import { NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import type { HttpSettings } from '@roadstead/contracts/langgraph-json';
import { allowedMethods, type CallerContext, toResponse } from '@roadstead/http';
import { Problem, problemOf } from '@roadstead/kit';
import { type CallerRules, requireCaller } from '../access/require-caller.ts';
import type { BorrowedHost } from '../hosts/revision-hosts.ts';
import { isSwitchedOff } from './group-rules.ts';
import { loggedHeaders } from './header-rules.ts';
import { forwardedHeaders, isElsewhere, type Place, placeHeaders, placeOf } from './place-rules.ts';
import { type MatchesRoute, routeMatcher } from './route-rules.ts';

/** The facts of the revision that serves which decide who answers a call. */
export interface ServedApp {
  readonly http: HttpSettings;
  /** The description that the project's own app gave of itself; undefined where there is none. */
  readonly app: AppDescription | undefined;
  /** Borrows one of its graph hosts. */
  readonly borrow: () => Promise<BorrowedHost>;
}

export interface AppFaceOptions extends CallerRules {
  /** Undefined before the first revision serves. */
  readonly active: () => ServedApp | undefined;
  /** Answers what is served beside the project's own app. */
  readonly builtIn: (request: Request, inward: CallerContext) => Promise<Response>;
  readonly public_url: () => string;
  /** Writes a line to the deployment's log. */
  readonly logLine: (line: string) => void;
}

/** The endpoints that are served beside the project's own app. */
const endpointAt = allowedMethods(agentServer);

type Call = { readonly request: Request; readonly inward: CallerContext; readonly path: string };

/**
 * Decides who answers a call to a deployment: the project's own app (`http.app`) where it has the address, then the
 * built-in endpoints, unless the project has switched them off, then the app again, which may answer at any other
 * address.
 */
export class AppFace {
  readonly #options: AppFaceOptions;

  constructor(options: AppFaceOptions) {
    this.#options = options;
  }

  async fetch(request: Request, inward: CallerContext): Promise<Response> {
    const served = this.#options.active();
    const path = inward.path ?? new URL(request.url).pathname;
    if (served === undefined) return this.#options.builtIn(request, inward);
    const began = performance.now();
    const call = { request, inward, path: withoutPrefix(path, served.http.mount_prefix) };
    const response = await this.#answer(served, call);
    this.#log(served.http, call, { status: response.status, took_ms: performance.now() - began });
    return response;
  }

  /** Asks the project's own app and nothing else. */
  async askOwn(request: Request, inward: CallerContext): Promise<Response> {
    const served = this.#options.active();
    const path = withoutPrefix(new URL(request.url).pathname, served?.http.mount_prefix ?? null);
    if (served?.app === undefined) return nothingAt(path);
    const response = await this.#askApp(served, { request, inward, path });
    if (!response.headers.has(NOT_SERVED_HEADER)) return response;
    await response.body?.cancel();
    return nothingAt(path);
  }

  async #answer(served: ServedApp, call: Call): Promise<Response> {
    const { method } = call.request;
    const { app, http } = served;
    const isBuiltIn =
      endpointAt(withoutTrailingSlash(call.path)) !== undefined && !isSwitchedOff(http, call.path);
    if (app === undefined) return isBuiltIn ? this.#builtIn(call) : nothingAt(call.path);
    if (isBuiltIn && !hasRoute(app, { method, path: call.path })) return this.#builtIn(call);
    const response = await this.#askApp(served, call);
    if (!response.headers.has(NOT_SERVED_HEADER)) return response;
    await response.body?.cancel();
    // A body that the app may have read cannot be read again.
    return isBuiltIn && call.request.body === null ? this.#builtIn(call) : nothingAt(call.path);
  }

  #builtIn({ request, inward, path }: Call): Promise<Response> {
    return this.#options.builtIn(request, { ...inward, path });
  }

  async #askApp(served: ServedApp, call: Call): Promise<Response> {
    try {
      if (served.http.enable_custom_route_auth) {
        const inward = { ...call.inward, path: call.path };
        await requireCaller(this.#options, { request: call.request, inward });
      }
      const host = await served.borrow();
      const giveBack = () => host[Symbol.dispose]();
      const ask = (request: Request) =>
        host.process.fetch(request, giveBack).catch((error: unknown) => {
          giveBack();
          throw error;
        });
      const response = await askBelow(call, { public_url: this.#options.public_url(), ask });
      return response;
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      return toResponse(problem, 'detail');
    }
  }

  /** Logs a call where the project says how to log its headers. */
  // oxlint-disable-next-line roadstead/two-positional -- the settings, a call, and how it ended
  #log(
    { logging_headers }: HttpSettings,
    { request: { method, headers }, path }: Call,
    { status, took_ms }: { readonly status: number; readonly took_ms: number },
  ): void {
    if (logging_headers === null) return;
    const shown = JSON.stringify(loggedHeaders(headers, logging_headers));
    this.#options.logLine(`${method} ${path} ${status} in ${Math.round(took_ms)} ms ${shown}`);
  }
}

/**
 * Asks an app that sees itself at the root of its origin, and gives its answer the addresses of the deployment.
 * @param public_url where clients find the deployment
 */
export async function askBelow(
  call: Call,
  { public_url, ask }: { readonly public_url: string; readonly ask: (request: Request) => Promise<Response> },
): Promise<Response> {
  const place = placeOf(public_url);
  const request = requestFor(call, place);
  const response = await ask(request);
  const { url } = request;
  const is_elsewhere = isElsewhere(call.request.url, { place, path: call.inward.path ?? call.path });
  placeHeaders(response.headers, { place, url, is_elsewhere });
  return response;
}

/** The request as its client addressed it, but without the path of the deployment, which headers name. */
export function requestFor(
  {
    request,
    path,
    signal = request.signal,
  }: { readonly request: Request; readonly path: string; readonly signal?: AbortSignal },
  place: Place,
): Request {
  const { method, body } = request;
  const { search } = new URL(request.url);
  const headers = headersForCode(request.headers);
  for (const [name, value] of Object.entries(forwardedHeaders(place))) headers.set(name, value);
  const url = new URL(`${place.origin}${path}${addressForCode(search)}`);
  const made = new Request(url, { method, headers, ...(body === null ? {} : { body, duplex: 'half' }) });
  // A signal given to the constructor would be followed only until garbage collection.
  return Object.defineProperty(made, 'signal', { value: signal });
}

const matchers = new WeakMap<AppDescription, MatchesRoute>();

/** Whether the app says that it has an address. */
export function hasRoute(
  app: AppDescription,
  { method, path }: { readonly method: string; readonly path: string },
): boolean {
  if (app.routes === null) return false;
  const matches = matchers.get(app) ?? routeMatcher(app.routes);
  matchers.set(app, matches);
  return matches(method, path);
}

/** A prefix of the project applies to everything that is served below it. */
export function withoutPrefix(path: string, prefix: string | null): string {
  if (prefix === null || !`${path}/`.startsWith(`${prefix}/`)) return path;
  return path.slice(prefix.length) || '/';
}

const withoutTrailingSlash = (path: string) =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;

const nothingAt = (path: string) =>
  toResponse(new Problem('not_found', `Nothing is served at ${path}.`), 'detail');
