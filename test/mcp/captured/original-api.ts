import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ID, recordOf, type RecordVariant } from './original-records.ts';

/** The reading part of the original API, which answers always the same; and one that is ill. */

export interface OriginalApi extends AsyncDisposable {
  readonly url: string;
  /** Every credential that came. */
  readonly keys: ReadonlySet<string>;
  /** Paths that were asked for. */
  readonly paths: readonly string[];
  /** Answers this in place of everything. */
  ill: ((response: ServerResponse) => void) | undefined;
  /** Paths that this API doesn't have. */
  missing: RegExp | undefined;
}

type Route = readonly [
  method: string,
  path: RegExp,
  answer: (variant: RecordVariant, query: URLSearchParams) => unknown,
];

const page = (items: unknown[]) => ({ items, has_more: false, next_cursor: null });
const run = (variant: RecordVariant) => recordOf('run', variant);

const routes: readonly Route[] = [
  [
    'GET',
    /^\/sessions$/,
    (variant, query) =>
      (query.has('id') ? query.getAll('id') : [ID]).map((id) => ({ ...recordOf('experiment', variant), id })),
  ],
  [
    'POST',
    /^\/runs\/query$/,
    (variant) => ({ runs: [run(variant)], cursors: { next: null, prev: null }, parsed_query: null }),
  ],
  ['POST', /^\/runs\/query\/validate$/, () => ({ valid: true, errors: [] })],
  ['POST', /^\/runs\/stats$/, (variant) => recordOf('statistics of runs', variant)],
  ['GET', /^\/runs\/[^/]+$/, run],
  ['POST', /^\/v2\/runs\/query$/, (variant) => page([recordOf('run of the second generation', variant)])],
  ['POST', /^\/v2\/threads\/query$/, (variant) => page([recordOf('thread', variant)])],
  [
    'GET',
    /^\/v2\/threads\/[^/]+\/traces$/,
    (variant) => page([{ ...recordOf('turn of a thread', variant), ...conversationOf(variant) }]),
  ],
  ['GET', /^\/datasets$/, (variant) => [recordOf('dataset', variant)]],
  ['GET', /^\/datasets\/[^/]+$/, (variant) => recordOf('dataset', variant)],
  ['GET', /^\/examples$/, (variant) => [recordOf('example', variant)]],
  ['GET', /^\/examples\/[^/]+$/, (variant) => recordOf('example', variant)],
  ['POST', /^\/v2\/datasets\/[^/]+\/experiment-runs$/, () => page([])],
  ['GET', /^\/repos$/, (variant) => ({ repos: [recordOf('prompt', variant)], total: 1 })],
  ['GET', /^\/repos\/[^/]+\/[^/]+$/, (variant) => ({ repo: recordOf('prompt', variant) })],
  ['GET', /^\/commits\/[^/]+\/[^/]+\/[^/]+$/, (variant) => recordOf('commit of a prompt', variant)],
  ['GET', /^\/orgs\/current\/billing\/usage$/, (variant) => [recordOf('usage', variant)]],
  ['GET', /^\/workspaces$/, (variant) => [recordOf('workspace', variant)]],
];

const conversationOf = (variant: RecordVariant) => {
  const { inputs, outputs } = run(variant === 'bare' ? 'whole' : variant);
  return { inputs, outputs };
};

export async function startOriginalApi(variant: RecordVariant): Promise<OriginalApi> {
  const keys = new Set<string>();
  const paths: string[] = [];
  const server = createServer((request, response) => {
    for (const key of credentialsIn(request)) keys.add(key);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://original');
    const path = pathname.replace(/^\/api(\/v1)?|^\/v1/, '');
    paths.push(path);
    request.resume();
    if (api.ill !== undefined) return api.ill(response);
    const route = routes.find(([method, pattern]) => method === request.method && pattern.test(path));
    const isThere = route !== undefined && api.missing?.test(path) !== true;
    answer(
      response,
      isThere ? 200 : 404,
      isThere ? route[2](variant, searchParams) : { detail: 'Not Found' },
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const api: OriginalApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    paths,
    ill: undefined,
    missing: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
  return api;
}

export function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function credentialsIn({ headers }: IncomingMessage): string[] {
  const named = ['x-api-key', 'service-api-key', 'langsmith-api-key', 'authorization', 'cookie'];
  return named.flatMap((name) => headers[name] ?? []).map((key) => key.replace(/^Bearer /, ''));
}
