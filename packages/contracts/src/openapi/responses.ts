import type { AuthKind, Dialect, Endpoint } from '../endpoints/endpoint.ts';

/** The refusals of endpoints: their statuses and bodies. */

const authErrors: Readonly<Record<AuthKind, readonly number[]>> = {
  key: [401, 403],
  signed: [401, 403],
  token: [403],
  public: [],
};

/** Every status of an endpoint beside its success; 500 would be a fault of ours. */
export function errorStatuses(endpoint: Endpoint): readonly number[] {
  if (endpoint.refused === true) return [...(endpoint.auth === 'key' ? [401] : []), 501];
  const { params, query, body, raw, auth, errors = [] } = endpoint;
  const sends = body !== undefined || raw === true;
  const found = new Set([
    ...authErrors[auth],
    ...(params === undefined ? [] : [404]),
    ...((params ?? query ?? body) ? [422] : []),
    ...(auth !== 'public' || query !== undefined || sends ? [400] : []),
    ...(sends ? [413, 422, 429] : []),
    ...errors,
    503,
  ]);
  return [...found].toSorted((a, b) => a - b);
}

const reasons: Readonly<Record<number, string>> = {
  400: 'A rule between fields is broken',
  401: 'No key, or one that is unknown, revoked or expired',
  403: 'The key lacks the scope, or does not reach the workspace',
  404: 'Not there, or in another workspace',
  409: 'It contradicts what there is: a name that is taken, something that is being deleted, or a stale fence',
  412: 'Changed since the version that If-Match names',
  413: 'The body is too large',
  416: 'The range is not the one that comes next, or is outside of what there is',
  422: 'A field has the wrong shape',
  426: 'No WebSocket was asked for',
  429: 'Too much at once; Retry-After says when to come again',
  501: 'Not built yet',
  503: 'Not able to answer right now; Retry-After says when to come again',
};

const text = { type: 'string' };
const object = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: 'object',
  required,
  properties,
});

const issue = object({
  loc: { type: 'array', items: { anyOf: [text, { type: 'integer' }] } },
  msg: text,
  type: text,
});

interface DialectForm {
  readonly media_type: string;
  readonly name: string;
  readonly schema: object;
}

const forms: Readonly<Record<Dialect, DialectForm>> = {
  detail: {
    media_type: 'application/json',
    name: 'DetailError',
    schema: object({ detail: { anyOf: [text, { type: 'array', items: issue }] }, error: text }, ['detail']),
  },
  ingest: {
    media_type: 'application/json',
    name: 'IngestError',
    schema: object({ error: text, details: text }),
  },
  problem: {
    media_type: 'application/problem+json',
    name: 'Problem',
    schema: object({ type: text, title: text, status: { type: 'integer' }, detail: text, remedy: text }, [
      'type',
      'title',
      'status',
      'detail',
    ]),
  },
  jsonrpc: {
    media_type: 'application/json',
    name: 'JsonRpcError',
    schema: object({
      jsonrpc: { const: '2.0' },
      id: {},
      error: object({ code: { type: 'integer' }, message: text }),
    }),
  },
  oauth: {
    media_type: 'application/json',
    name: 'OAuthError',
    schema: object({ error: text, error_description: text }, ['error']),
  },
  oci: {
    media_type: 'application/json',
    name: 'RegistryErrors',
    schema: object({
      errors: {
        type: 'array',
        items: object({ code: text, message: text, detail: {} }, ['code', 'message']),
      },
    }),
  },
  text: { media_type: 'text/plain', name: 'ErrorSentence', schema: text },
};

/** References of an endpoint to the shared responses, which `used` collects. */
export function errorResponses(endpoint: Endpoint, used: Map<string, object>): Record<string, object> {
  const { media_type, name } = forms[endpoint.dialect];
  const is_page = isForBrowsers(endpoint);
  const entries = errorStatuses(endpoint).map((status) => {
    const response = `${name}${is_page ? 'Page' : ''}${status}`;
    const schema = { $ref: `#/components/schemas/${name}` };
    used.set(response, {
      description: reasons[status] ?? 'Refused',
      ...(status === 429 || status === 503 ? { headers: { 'Retry-After': retryAfter } } : {}),
      content: { [media_type]: { schema }, ...(is_page ? { 'text/html': { schema: text } } : {}) },
    });
    return [String(status), { $ref: `#/components/responses/${response}` }] as const;
  });
  return Object.fromEntries(entries);
}

/** Whether an endpoint redirects a browser or shows it a page, and so also refuses on a page. */
function isForBrowsers({ success }: Endpoint): boolean {
  return success.status === 303 || success.media_types?.includes('text/html') === true;
}

const retryAfter = { description: 'Seconds', schema: { type: 'integer' } };

/** The schemas that those responses refer to. */
export function errorSchemas(endpoints: readonly Endpoint[]): Record<string, object> {
  const dialects = new Set(endpoints.map(({ dialect }) => dialect));
  return Object.fromEntries([...dialects].map((dialect) => [forms[dialect].name, forms[dialect].schema]));
}
