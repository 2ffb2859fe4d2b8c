import { addressForCode, headersForCode } from '@roadstead/contracts';
import { agentServer } from '@roadstead/contracts/agent-server';
import type { AppDescription } from '@roadstead/contracts/host';
import { NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import type { HttpSettings } from '@roadstead/contracts/langgraph-json';
import { allowedMethods, type CallerContext, Problem, problemOf, toResponse } from '@roadstead/kit';
import { type CallerRules, requireCaller } from '../access/require-caller.ts';
import type { BorrowedHost } from '../hosts/revision-hosts.ts';
import { isSwitchedOff } from './group-rules.ts';
import { loggedHeaders } from './header-rules.ts';
import { forwardedHeaders, isElsewhere, type Place, placeHeaders, placeOf } from './place-rules.ts';
import { type MatchesRoute, routeMatcher } from './route-rules.ts';

/** What serves, as far as it decides which of its sides answers a call. */
export interface ServedApp {
  readonly http: HttpSettings;
  /** What the project's own app told of itself; undefined where there is none. */
  readonly app: AppDescription | undefined;
  /** A graph host of it. */
  readonly borrow: () => Promise<BorrowedHost>;
}

export interface AppFaceOptions extends CallerRules {
  /** Undefined before the first revision serves. */
  readonly active: () => ServedApp | undefined;
  /** Answers what is served whatever the project says. */
  readonly builtIn: (request: Request, inward: CallerContext) => Promise<Response>;
  readonly public_url: () => string;
  /** For the deployment's log. */
  readonly tell: (line: string) => void;
}

/** What is served whatever the project says. */
const endpointAt = allowedMethods(agentServer);

type Call = { readonly request: Request; readonly inward: CallerContext; readonly path: string };

/**
 * Which side of a deployment answers a call: the project's own app (`http.app`) where it has the address, then what is
 * served anyway, unless the project has switched that off, then the app again, which may answer at any address that is
 * left.
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
    // A body that the app may have read can't be given to another.
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
      const place = placeOf(this.#options.public_url());
      const request = requestFor(call, place);
      const response = await host.process.fetch(request, giveBack).catch((error: unknown) => {
        giveBack();
        throw error;
      });
      const { url } = request;
      const is_elsewhere = isElsewhere(call.request.url, { place, path: call.inward.path ?? call.path });
      placeHeaders(response.headers, { place, url, is_elsewhere });
      return response;
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      return toResponse(problem, 'detail');
    }
  }

  /** Calls are logged where a project says what of their headers is. */
  // oxlint-disable-next-line roadstead/two-positional -- the settings, a call, and how it ended
  #log(
    { logging_headers }: HttpSettings,
    { request: { method, headers }, path }: Call,
    { status, took_ms }: { readonly status: number; readonly took_ms: number },
  ): void {
    if (logging_headers === null) return;
    const shown = JSON.stringify(loggedHeaders(headers, logging_headers));
    this.#options.tell(`${method} ${path} ${status} in ${Math.round(took_ms)} ms ${shown}`);
  }
}

/** As its client addressed it, without the path of the deployment, of which headers tell. */
function requestFor({ request, path }: Call, place: Place): Request {
  const { method, body, signal } = request;
  const { search } = new URL(request.url);
  const headers = headersForCode(request.headers);
  for (const [name, value] of Object.entries(forwardedHeaders(place))) headers.set(name, value);
  const url = new URL(`${place.origin}${path}${addressForCode(search)}`);
  const made = new Request(url, { method, headers, ...(body === null ? {} : { body, duplex: 'half' }) });
  // The one given to the constructor would be followed only until memory is collected.
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

/** With a prefix of the project everything is served below it, too. */
export function withoutPrefix(path: string, prefix: string | null): string {
  if (prefix === null || !`${path}/`.startsWith(`${prefix}/`)) return path;
  return path.slice(prefix.length) || '/';
}

const withoutTrailingSlash = (path: string) =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;

const nothingAt = (path: string) =>
  toResponse(new Problem('not_found', `Nothing is served at ${path}.`), 'detail');
