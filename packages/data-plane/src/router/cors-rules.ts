import type { CorsSettings } from '@roadstead/contracts/langgraph-json';

/**
 * Decides which pages of other origins may call a deployment, and what they may read, by `http.cors` of its
 * `langgraph.json`.
 */

/** Headers from which clients in browsers learn runs and pages, no matter what a deployment configures. */
const ALWAYS_EXPOSED = [
  'a2a-extensions',
  'content-location',
  'location',
  'retry-after',
  'www-authenticate',
  'x-a2a-extensions',
  'x-pagination-next',
  'x-pagination-total',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const MAX_AGE_S = 600;
/** No browser sends a longer one. */
const MAX_ORIGIN_CHARS = 300;
const ANY = '*';

/** The default lets any page call: it needs a key, and browsers send none by themselves. */
export const openCors: CorsSettings = {
  allow_origins: null,
  allow_origin_regex: null,
  allow_methods: null,
  allow_headers: null,
  allow_credentials: false,
  expose_headers: null,
  max_age: null,
};

/** Whether a browser asks if it may send a call. */
export const isPreflight = (
  method: string | undefined,
  headers: Readonly<Record<string, unknown>>,
): boolean =>
  method === 'OPTIONS' &&
  headers['origin'] !== undefined &&
  headers['access-control-request-method'] !== undefined;

export interface CrossOriginCall {
  /** The headers of the request. */
  readonly headers: Headers;
  /** Whether an origin matches the deployment's expression. */
  readonly matches: (origin: string) => boolean;
}

/** The headers that answer a browser's preflight request. */
export function preflightHeaders(
  cors: CorsSettings,
  { headers, matches }: CrossOriginCall,
): Record<string, string> {
  const origin = originHeaders(cors, { headers, matches });
  const vary = 'origin, access-control-request-method, access-control-request-headers';
  if (origin['access-control-allow-origin'] === undefined) return { vary };
  const asked = headers.get('access-control-request-headers');
  const allowed = listOf(cors.allow_headers) ?? asked;
  return {
    ...origin,
    vary,
    'access-control-allow-methods': listOf(cors.allow_methods) ?? METHODS.join(', '),
    ...(allowed === null ? {} : { 'access-control-allow-headers': allowed }),
    'access-control-max-age': `${Math.floor(cors.max_age ?? MAX_AGE_S)}`,
  };
}

/** The headers of an answer; a page of an origin that is not allowed can't read it. */
export function answerHeaders(
  cors: CorsSettings,
  { headers, matches }: CrossOriginCall,
): Record<string, string> {
  const exposed = new Set([
    ...ALWAYS_EXPOSED,
    ...(cors.expose_headers ?? []).map((name) => name.toLowerCase()),
  ]);
  return {
    ...originHeaders(cors, { headers, matches }),
    'access-control-expose-headers': [...exposed].join(', '),
  };
}

function originHeaders(cors: CorsSettings, { headers, matches }: CrossOriginCall): Record<string, string> {
  const { allow_origins, allow_origin_regex, allow_credentials } = cors;
  // Credentials for any page would let every page act as its reader: they go with named origins only.
  if (allow_origins?.includes(ANY) ?? allow_origin_regex === null)
    return { 'access-control-allow-origin': ANY };
  const origin = headers.get('origin');
  const vary = { vary: 'origin' };
  if (origin === null || origin.length > MAX_ORIGIN_CHARS) return vary;
  const isAllowed =
    allow_origins?.includes(origin) === true || (allow_origin_regex !== null && matches(origin));
  if (!isAllowed) return vary;
  return {
    ...vary,
    'access-control-allow-origin': origin,
    ...(allow_credentials ? { 'access-control-allow-credentials': 'true' } : {}),
  };
}

/** Undefined where everything is allowed: browsers don't accept `*` for `Authorization`, nor with credentials. */
function listOf(names: readonly string[] | null): string | undefined {
  return names === null || names.includes(ANY) ? undefined : names.join(', ');
}
