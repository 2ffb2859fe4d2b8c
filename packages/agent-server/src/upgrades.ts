import type { IncomingMessage } from 'node:http';
import { isUuid, type Log, Problem } from '@roadstead/kit';
import { callerOf } from './access/access.ts';
import { type CallerRules, requireCaller } from './access/require-caller.ts';
import { hasRoute, requestFor, type ServedApp, withoutPrefix } from './app/app-face.ts';
import { isSwitchedOff } from './app/group-rules.ts';
import { placeOf } from './app/place-rules.ts';
import type { EventStreamFace } from './langgraph/event-stream/event-stream-face.ts';
import { EventSocket } from './langgraph/event-stream/event-socket.ts';
import type { AppSockets } from './app/app-sockets.ts';
import { HANDSHAKE_HEADERS } from './sockets/handshake.ts';
import type { UpgradeRequest } from './sockets/upgrade-request.ts';
import type { Conversation } from './sockets/conversation.ts';
import type { WebSockets } from './sockets/web-sockets.ts';

export interface UpgradesOptions extends CallerRules {
  /** Undefined before the first revision serves. */
  readonly active: () => ServedApp | undefined;
  readonly sockets: WebSockets;
  readonly app_sockets: AppSockets;
  readonly events: EventStreamFace;
  readonly public_url: () => string;
  readonly log: Log;
}

/** Answers a refusal of the project's own app, where it refuses. */
export type AcceptUpgrade = (
  request: IncomingMessage,
  connecting: UpgradeRequest,
) => Promise<Response | undefined>;

const EVENTS = /^\/threads\/([^/]+)\/stream\/events\/?$/;
/** How an app tells the addresses at which it takes up WebSockets. */
const WEB_SOCKET = 'WEBSOCKET';

/**
 * Accepts the WebSockets of a deployment: those that the project's own app has, those that carry the events of threads,
 * and, of the app again, those at any other address.
 */
export function createUpgrades(options: UpgradesOptions): AcceptUpgrade {
  return async (incoming, connecting) => {
    const served = options.active();
    if (served === undefined)
      throw new Problem('unavailable', 'Nothing serves here yet; try again.', { retry_after_s: 2 });
    const path = withoutPrefix(pathOf(incoming, (await connecting.inward()).path), served.http.mount_prefix);
    const request = requestOf(incoming, `${new URL(options.public_url()).origin}${path}${queryOf(incoming)}`);
    const call: UpgradeCall = { incoming, connecting, path, request };
    const thread_id = EVENTS.exec(path)?.[1]?.toLowerCase();
    const { app, http } = served;
    const isOfApp = app !== undefined && hasRoute(app, { method: WEB_SOCKET, path });
    if (thread_id !== undefined && !isOfApp && !isSwitchedOff(http, path)) {
      await acceptEvents(options, { ...call, thread_id });
      return undefined;
    }
    if (app === undefined) throw new Problem('not_found', `No WebSocket is served at ${path}.`);
    return acceptOfApp(options, { ...call, served });
  };
}

interface UpgradeCall {
  readonly incoming: IncomingMessage;
  readonly connecting: UpgradeRequest;
  /** The path below the address of the deployment. */
  readonly path: string;
  readonly request: Request;
}

/** Identifies the caller, as of now. */
const callerBy =
  (rules: CallerRules, { connecting, path, request }: UpgradeCall) =>
  async () =>
    requireCaller(rules, { request, inward: { ...(await connecting.inward()), path } });

async function acceptEvents(
  { sockets, events, log, ...rules }: UpgradesOptions,
  { thread_id, ...upgrade }: UpgradeCall & { readonly thread_id: string },
): Promise<void> {
  const { incoming, connecting, request } = upgrade;
  const caller = callerBy(rules, upgrade);
  const { workspace_id, principal } = callerOf(await caller());
  if (!isUuid(thread_id)) throw new Problem('not_found', 'There is no such thread here.');
  const onOpen = (conversation: Conversation) => {
    const call = async () => ({ principal: await caller(), request, signal: conversation.signal });
    const socket = new EventSocket(events, { conversation, thread_id, call, log });
    socket.serve().catch((error: unknown) => log.error('a WebSocket failed', { error }));
  };
  sockets.accept(incoming, { ...connecting, owner: [workspace_id, principal], onOpen });
}

/** As with requests to it, callers of the app need not be known unless the project says so. */
async function acceptOfApp(
  { app_sockets, public_url, ...rules }: UpgradesOptions,
  { served, ...upgrade }: UpgradeCall & { readonly served: ServedApp },
): Promise<Response | undefined> {
  const { incoming, connecting, path, request } = upgrade;
  if (served.http.enable_custom_route_auth) await callerBy(rules, upgrade)();
  for (const name of HANDSHAKE_HEADERS) request.headers.delete(name);
  return app_sockets.accept(incoming, {
    socket: connecting.socket,
    head: connecting.head,
    request: (signal) => requestFor({ request, path, signal }, placeOf(public_url())),
    borrow: served.borrow,
  });
}

const pathOf = ({ url = '/' }: IncomingMessage, path: string | undefined) =>
  path ?? url.split('?', 1)[0] ?? '/';

const queryOf = ({ url = '' }: IncomingMessage) => {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
};

/** The upgrade request as a `Request`, for those who identify the caller. */
export function requestOf({ headers }: Pick<IncomingMessage, 'headers'>, url: string): Request {
  const pairs = Object.entries(headers).map(([name, value = '']): [string, string] => [
    name,
    typeof value === 'string' ? value : value.join(', '),
  ]);
  return new Request(url, { headers: pairs });
}
