import type { IncomingMessage } from 'node:http';
import { isUuid, type Log, Problem } from '@roadstead/kit';
import { callerOf } from './access/access.ts';
import { type CallerRules, requireCaller } from './access/require-caller.ts';
import { hasRoute, type ServedApp, withoutPrefix } from './app/app-face.ts';
import { isSwitchedOff } from './app/group-rules.ts';
import type { EventStreamFace } from './langgraph/event-stream/event-stream-face.ts';
import { EventSocket } from './langgraph/event-stream/event-socket.ts';
import type { UpgradeRequest } from './sockets/upgrade-request.ts';
import type { Conversation } from './sockets/conversation.ts';
import type { WebSockets } from './sockets/web-sockets.ts';

export interface UpgradesOptions extends CallerRules {
  /** Undefined before the first revision serves. */
  readonly active: () => ServedApp | undefined;
  readonly sockets: WebSockets;
  readonly events: EventStreamFace;
  readonly public_url: () => string;
  readonly log: Log;
}

export type AcceptUpgrade = (request: IncomingMessage, connecting: UpgradeRequest) => Promise<void>;

const EVENTS = /^\/threads\/([^/]+)\/stream\/events\/?$/;

/** Accepts the WebSockets of a deployment, which carry the events of its threads. */
export function createUpgrades({
  active,
  sockets,
  events,
  public_url,
  log,
  ...rules
}: UpgradesOptions): AcceptUpgrade {
  return async (incoming, connecting) => {
    const served = active();
    if (served === undefined)
      throw new Problem('unavailable', 'Nothing serves here yet; try again.', { retry_after_s: 2 });
    const path = withoutPrefix(pathOf(incoming, (await connecting.inward()).path), served.http.mount_prefix);
    const request = requestOf(incoming, `${new URL(public_url()).origin}${path}`);
    const thread_id = EVENTS.exec(path)?.[1]?.toLowerCase();
    const { app, http } = served;
    const isOfApp = app !== undefined && hasRoute(app, { method: 'GET', path });
    if (thread_id === undefined || isOfApp || isSwitchedOff(http, path))
      throw notTakenUp(path, app !== undefined);
    const caller = async () =>
      requireCaller(rules, { request, inward: { ...(await connecting.inward()), path } });
    const { workspace_id, principal } = callerOf(await caller());
    if (!isUuid(thread_id)) throw new Problem('not_found', 'There is no such thread here.');
    const onOpen = (conversation: Conversation) => {
      const call = async () => ({ principal: await caller(), request, signal: conversation.signal });
      const socket = new EventSocket(events, { conversation, thread_id, call, log });
      socket.serve().catch((error: unknown) => log.error('a WebSocket failed', { error }));
    };
    sockets.accept(incoming, { ...connecting, owner: [workspace_id, principal], onOpen });
  };
}

function notTakenUp(path: string, has_app: boolean): Problem {
  return has_app
    ? new Problem('not_implemented', 'The app of a deployment answers requests, and takes up no WebSocket.')
    : new Problem('not_found', `No WebSocket is served at ${path}.`);
}

const pathOf = ({ url = '/' }: IncomingMessage, path: string | undefined) =>
  path ?? url.split('?', 1)[0] ?? '/';

/** The upgrade request as a `Request`, for those who identify the caller. */
export function requestOf({ headers }: Pick<IncomingMessage, 'headers'>, url: string): Request {
  const pairs = Object.entries(headers).map(([name, value = '']): [string, string] => [
    name,
    typeof value === 'string' ? value : value.join(', '),
  ]);
  return new Request(url, { headers: pairs });
}
