import type { AppDescription } from '@roadstead/contracts/host';
import { NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import { LoadError } from '../modules/load-error.ts';

/** The project's own HTTP app (`http.app`), by shape: its framework is the user's own copy. */
export interface UserApp {
  readonly description: AppDescription;
  fetch(request: Request): Promise<Response>;
}

type Fetch = (request: Request) => Response | Promise<Response>;

/** As Hono makes them. */
interface HonoLike {
  readonly routes: readonly HonoRoute[];
  readonly fetch: Fetch;
  route(path: string, app: unknown): unknown;
  notFound(handler: () => Response): unknown;
}

interface HonoRoute {
  readonly method: string;
  readonly path: string;
  readonly handler: Handler;
}

/** One that was mounted with its own error handler wraps what it stands for. */
type Handler = ((...args: never[]) => unknown) & { readonly __COMPOSED_HANDLER?: Handler };

/** A table of more is not told; the app is then asked for what nobody else answers. */
const MAX_ROUTES = 2000;

/** @param who begins the sentence when it is no app. */
export function createUserApp(exported: unknown, who: string): UserApp {
  if (isHono(exported)) return honoApp(exported);
  if (isExpress(exported))
    throw new LoadError(
      `${who} is an app of Express, which answers requests of Node.js: export one of Hono, or a function of a Request.`,
    );
  if (typeof exported === 'function') return plainApp(exported as Fetch);
  const { fetch } = (exported ?? {}) as { fetch?: Fetch };
  if (typeof fetch === 'function') return plainApp((request) => fetch.call(exported, request));
  throw new LoadError(
    `${who} is no app: neither of Hono, nor an object with fetch, nor a function of a Request.`,
  );
}

const isHono = (value: unknown): value is HonoLike =>
  typeof (value as HonoLike | null)?.fetch === 'function' &&
  typeof (value as HonoLike).route === 'function' &&
  Array.isArray((value as HonoLike).routes);

const isExpress = (value: unknown): boolean =>
  typeof value === 'function' && 'handle' in value && 'listen' in value;

/**
 * Says of a 404 of ours that nobody in the app has answered. Middleware may answer after it: Hono may hand all headers
 * of an answer that is replaced on to the new one, so that one with another status, or with a body, is the app’s own.
 */
const NOTHING = { 'content-type': 'application/x.roadstead-nothing' } as const;

/** Mounted in an app of the same make, as the original does, so that what it does not have is told apart from its own 404. */
function honoApp(app: HonoLike): UserApp {
  const outer = new (app.constructor as new () => HonoLike)();
  outer.route('/', app);
  outer.notFound(() => new Response(null, { status: 404, headers: NOTHING }));
  const fetch = async (request: Request): Promise<Response> => {
    const response = await outer.fetch(request);
    if (response.headers.get('content-type') !== NOTHING['content-type']) return response;
    if (response.status === 404 && response.body === null)
      return new Response(null, { status: 404, headers: { [NOT_SERVED_HEADER]: '1' } });
    const headers = new Headers(response.headers);
    headers.delete('content-type');
    return new Response(response.body, { status: response.status, headers });
  };
  const has_middleware = app.routes.some(isForAll) ? ({ has_middleware: true } as const) : {};
  return { description: { routes: routesOf(app.routes), ...has_middleware }, fetch };
}

const plainApp = (fetch: Fetch): UserApp => ({
  description: { routes: null },
  fetch: async (request) => fetch(request),
});

/** The addresses that it answers itself: middleware, which passes on, has none. */
function routesOf(routes: readonly HonoRoute[]): AppDescription['routes'] {
  const own = routes.filter(({ method, handler }) => method !== 'ALL' || !isMiddleware(handler));
  const told = new Map(own.map(({ method, path }) => [`${method} ${path}`, { method, path }]));
  return told.size > MAX_ROUTES ? null : [...told.values()];
}

/** Middleware of the whole app. One for some addresses is for these alone, and another app that is mounted looks alike. */
const isForAll = ({ method, path, handler }: HonoRoute): boolean =>
  method === 'ALL' && /^\/?\*$/.test(path) && isMiddleware(handler);

/** Judges by the arguments that it declares: a handler takes the context alone. */
const isMiddleware = (handler: Handler): boolean => (handler.__COMPOSED_HANDLER ?? handler).length > 1;
