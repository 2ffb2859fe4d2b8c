import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  addressForCode,
  ASSERTION_HEADER,
  credentialOf,
  CUSTOM_HOSTS_PATH,
  ELSEWHERE_HEADER,
  headersToChange,
  headersWith,
} from '@roadstead/contracts';
import { agentServer } from '@roadstead/contracts/agent-server';
import {
  allowedMethods,
  type CallerContext,
  type NodeListener,
  refuseUpgrade,
  TextResponse,
  toNodeListener,
  toResponse,
  type UpgradeListener,
} from '@roadstead/http';
import { type Admission, type Log, Problem } from '@roadstead/kit';
import type { Credentials } from '@roadstead/service';
import type { RoutePolicy } from '../ports/runtime.ts';
import { type CallLimits, callsInFlight } from './calls-in-flight.ts';
import type { ClaimedHosts } from './claimed-hosts.ts';
import { allowReading, mayConnect, preflightAnswer } from './cors.ts';
import { isPreflight } from './cors-rules.ts';
import { createStandIn } from './stand-in.ts';
import type { Absence, Route, Routes } from './routes.ts';

/** How long a call waits for its deployment after a start. */
const COMING_BACK_MS = 15_000;

export interface RouterOptions {
  readonly routes: Routes;
  /** Sent to the edge, which alone reaches this socket. */
  readonly hosts: ClaimedHosts;
  readonly credentials: Credentials;
  readonly limits: CallLimits;
  /** Whether an assertion is of the edge: only that is told where a deployment is not. */
  readonly isOfEdge?: (assertion: string) => Promise<boolean>;
  readonly log?: Pick<Log, 'debug'>;
  readonly coming_back_ms?: number;
}

export interface Router {
  readonly listener: NodeListener;
  readonly onUpgrade: UpgradeListener;
}

/**
 * Answers `/agents/{slug}/…`: verifies the caller once and hands the request to the deployment's agent server. To a
 * caller without a valid key, a name without a deployment answers like any deployment would, and at once: neither the
 * answer nor the time it takes shows that there is none.
 */
export function createRouter(options: RouterOptions): Router {
  const { routes, credentials, coming_back_ms = COMING_BACK_MS } = options;
  const standIn = createStandIn();
  const calls = callsInFlight(options.limits);
  const answer = toNodeListener(async (request) => {
    const { slug, path } = placeOf(request.url);
    // A valid key of another workspace is verified, too: the agent server compares the workspaces.
    const verifies = policyOf(routes.get(slug), request.headers).verifies;
    if (await isElsewhere(options, slug, request.headers)) return elsewhere();
    const caller = verifies ? await credentials.inward(request.headers, 'agent-server') : {};
    const isVerified = caller.assertion !== undefined;
    const route = await routes.find(slug, isVerified ? coming_back_ms : 0, request.signal);
    const policy = policyOf(route, request.headers);
    const inward = { ...(policy.verifies ? caller : {}), path };
    const answered = await (route?.running.fetch(withoutOurs(request, inward), inward) ??
      absent(request, { inward, absence: routes.absence(slug) }));
    return outward(answered, { headers: request.headers, cors: policy.cors });
  }, options);
  const absent = async (
    request: Request,
    {
      inward,
      absence,
    }: { readonly inward: CallerContext & { readonly path: string }; readonly absence: Absence },
  ) => {
    if (inward.assertion === undefined && !isSaidOfAll(absence)) return standIn.fetch(request, inward);
    return refusalAt(inward.path, absences[absence]());
  };
  const refuse = toNodeListener(async ({ url, headers }) => {
    const { slug, path } = placeOf(url);
    return outward(refusalAt(path, tooMany()), { headers, cors: policyOf(routes.get(slug), headers).cors });
  });
  const preflight = toNodeListener(async ({ url, headers }) =>
    preflightAnswer(headers, policyOf(routes.get(placeOf(url).slug), headers).cors),
  );
  return {
    listener: (request, response) => {
      if (request.url === CUSTOM_HOSTS_PATH)
        return void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(options.hosts.all));
      if (isPreflight(request.method, request.headers)) return preflight(request, response);
      request.url = addressForCode(request.url ?? '');
      const { slug } = placeOf(request.url);
      const place = calls.tryTake([routes.get(slug)?.workspace_id ?? '', slug]);
      if (place === undefined) return refuse(request, response);
      response.once('close', () => place[Symbol.dispose]());
      answer(request, response);
    },
    onUpgrade: (request, socket, head) => {
      request.url = addressForCode(request.url ?? '');
      upgrade({ ...options, calls }, { request, socket, head })
        .catch((error: unknown) => {
          const problem =
            error instanceof Problem ? error : new Problem('internal', 'Something went wrong here.');
          return toResponse(problem, 'detail');
        })
        .then((refusal) => refusal && refuseUpgrade(socket, sandboxed(refusal)))
        .catch(() => socket.destroy());
    },
  };
}

/** Whether an edge asks for a deployment that is not here: it finds out who has it. */
async function isElsewhere(
  { routes, isOfEdge }: Pick<RouterOptions, 'routes' | 'isOfEdge'>,
  slug: string,
  headers: Headers,
): Promise<boolean> {
  if (isOfEdge === undefined || routes.get(slug) !== undefined) return false;
  if (!['none', 'stopping'].includes(routes.absence(slug))) return false;
  const assertion = headers.get(ASSERTION_HEADER);
  return assertion !== null && (await isOfEdge(assertion));
}

/** Only the router says that a deployment is elsewhere, and no deployment's code. */
function withoutElsewhere({ body, status, headers: given }: Response): Response {
  const headers = new Headers(given);
  headers.delete(ELSEWHERE_HEADER);
  return new Response(body, { status, headers });
}

function elsewhere(): Response {
  const response = toResponse(absences.none(), 'detail');
  response.headers.set(ELSEWHERE_HEADER, '1');
  return response;
}

/** An answer that every name gets reveals nothing about any of them. */
const isSaidOfAll = (absence: Absence) => absence === 'coming_back' || absence === 'stopping';

/** Without a deployment the policy is that of one that configures nothing. */
const policyOf = (route: Route | undefined, headers: Headers): RoutePolicy =>
  route?.running.routePolicy(headers) ?? { verifies: true, cors: null };

interface UpgradeCall {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/**
 * The deployment decides who may open a WebSocket, as with calls. To a caller without a valid key a name without a
 * deployment answers like a deployment that wants one.
 */
async function upgrade(
  options: RouterOptions & { calls: Admission },
  { request, socket, head }: UpgradeCall,
): Promise<Response | undefined> {
  const { routes, credentials, calls, coming_back_ms = COMING_BACK_MS } = options;
  const { slug, path } = placeOf(request.url ?? '');
  const gone = new AbortController();
  socket.on('error', () => socket.destroy()).once('close', () => gone.abort());
  const headers = new Headers(pairsOf(request));
  if (await isElsewhere(options, slug, headers)) return elsewhere();
  const { verifies } = policyOf(routes.get(slug), headers);
  const caller = verifies ? await credentials.inward(headers, 'agent-server') : {};
  const isVerified = caller.assertion !== undefined;
  const route = await routes.find(slug, isVerified ? coming_back_ms : 0, gone.signal);
  if (route === undefined) {
    const absence = routes.absence(slug);
    throw isVerified || isSaidOfAll(absence) ? absences[absence]() : unknown(caller);
  }
  const policy = policyOf(route, headers);
  // Browsers leave it to the server which pages may open one.
  if (!mayConnect(headers, policy.cors))
    throw new Problem('forbidden', 'Pages of this origin may not call this deployment.');
  const place = calls.tryTake([route.workspace_id, slug]);
  if (place === undefined) throw tooMany();
  if (socket.destroyed) {
    place[Symbol.dispose]();
    return undefined;
  }
  socket.once('close', () => place[Symbol.dispose]());
  for (const [name, left] of changesOf(headers, caller))
    if (left === undefined) delete request.headers[name];
    else request.headers[name] = left;
  const inward = policy.verifies
    ? async () => ({ ...(await credentials.inward(headers, 'agent-server')), path })
    : async () => ({ path });
  const refusal = await route.running.upgrade(request, { socket, head, inward });
  return refusal && withoutElsewhere(refusal);
}

const unknown = ({ refused }: CallerContext) =>
  refused ?? new Problem('unauthenticated', 'This needs an API key: send it as the header X-Api-Key.');

/** The name of a deployment, and the path below it. */
function placeOf(url: string): { readonly slug: string; readonly path: string } {
  const [, slug = '', path = ''] = /^(?:[^:/]+:\/\/[^/]+)?\/agents\/([^/?#]+)([^?#]*)/.exec(url) ?? [];
  return { slug, path: path === '' ? '/' : path };
}

const pairsOf = ({ headersDistinct }: IncomingMessage): [string, string][] =>
  Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]);

const endpointAt = allowedMethods(agentServer);

/** The refusal in the dialect of the address: A2A reads JSON-RPC. */
const refusalAt = (path: string, problem: Problem) =>
  toResponse(problem, endpointAt(path)?.endpoint.dialect ?? 'detail');

const tooMany = () =>
  new Problem(
    'unavailable',
    'This agent, or its workspace, has reached its limit of concurrent calls; try again.',
    {
      retry_after_s: 2,
      hint: 'The operator of this platform sets the limit, by ROADSTEAD_AGENT_CALLS.',
    },
  );

/** Why no deployment answers; a name without one gets the same words as another workspace's deployment. */
const absences: Readonly<Record<Absence, () => Problem>> = {
  none: () => new Problem('not_found', 'No deployment answers here.'),
  coming_back: () =>
    new Problem('unavailable', 'Deployments are being restored after a restart; try again.', {
      retry_after_s: 5,
    }),
  stopping: () =>
    new Problem('unavailable', 'The router is stopping, for example before a restart; try again.', {
      retry_after_s: 5,
    }),
  failed: () =>
    new Problem('unavailable', 'This deployment can’t be restored right now.', {
      hint: 'It will be retried; the events of the deployment say why.',
      retry_after_s: 10,
    }),
};

/**
 * The changes to the headers before a deployment gets them. Removed are the headers that only the platform may set,
 * cookies, which belong to other pages of our origin, and every credential of ours, recognised by its form or because
 * it identified the caller; also one that can't be recognised right now. Callers' own tokens are passed on.
 */
function changesOf(
  headers: Headers,
  { assertion, refused }: CallerContext,
): (readonly [string, string | undefined])[] {
  const isTheirs = assertion === undefined && (refused === undefined || refused.kind === 'unauthenticated');
  const credential = isTheirs ? undefined : credentialOf(headers);
  return [
    ...headersToChange(headers),
    ...[
      ASSERTION_HEADER,
      'cookie',
      ...(credential === undefined ? [] : headersWith(headers, credential)),
    ].map((name) => [name, undefined] as const),
  ];
}

/** Changes the request itself: creating another one costs more than everything else that is done here. */
function withoutOurs(request: Request, inward: CallerContext): Request {
  for (const [name, left] of changesOf(request.headers, inward))
    if (left === undefined) request.headers.delete(name);
    else request.headers.set(name, left);
  return request;
}

/** Prepares an answer for the way out: sandboxed, and readable for the pages that may call. */
function outward(
  response: Response,
  asked: { readonly headers: Headers; readonly cors: RoutePolicy['cors'] },
): Response {
  const fenced = sandboxed(response);
  allowReading(fenced.headers, asked);
  fenced.headers.delete(ELSEWHERE_HEADER);
  return fenced;
}

/** Headers that affect the whole origin, which agents share with the platform. */
const OF_ORIGIN = [
  'accept-ch',
  'alt-svc',
  'clear-site-data',
  'nel',
  'origin-agent-cluster',
  'report-to',
  'service-worker-allowed',
  'set-cookie',
  'strict-transport-security',
];

/**
 * Agents share our origin: anything they answer runs in a sandbox, is interpreted only as its media type, and sets
 * nothing for the origin.
 */
function sandboxed(response: Response): Response {
  const fenced =
    TextResponse.writtenBy(response) === undefined
      ? new Response(response.body, { status: response.status, headers: response.headers })
      : response;
  for (const name of OF_ORIGIN) fenced.headers.delete(name);
  fenced.headers.set('content-security-policy', 'sandbox');
  fenced.headers.set('x-content-type-options', 'nosniff');
  return fenced;
}
