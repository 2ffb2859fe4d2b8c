import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { requestHeaders, UPGRADE } from './proxy-rules.ts';

/** Where requests go. */
export type ProxyPlace = { readonly socket: string } | { readonly url: string };

/** A request as it is sent on. */
export interface SentRequest {
  readonly path: string | undefined;
  readonly method: string | undefined;
  readonly headers: readonly string[];
}

export const sentRequest = (
  { url: path, method, rawHeaders }: IncomingMessage,
  inward: Record<string, string>,
): SentRequest => ({
  path,
  method,
  headers: [...requestHeaders(rawHeaders), ...Object.entries(inward).flat()],
});

export const sentUpgrade = (
  { url: path, method, rawHeaders }: IncomingMessage,
  inward: Record<string, string> = {},
): SentRequest => ({
  path,
  method,
  headers: [...requestHeaders(rawHeaders), ...Object.entries(inward).flat(), ...UPGRADE],
});

/** Opens requests to one place, on connections that it keeps. */
export interface Caller extends Disposable {
  ask(sent: SentRequest, on_kept_connection: boolean): ClientRequest;
}

export function createCaller(at: ProxyPlace): Caller {
  const place = 'socket' in at ? { socketPath: at.socket } : placeOf(new URL(at.url));
  const isSecure = 'protocol' in place && place.protocol === 'https:';
  // Each open stream holds a connection, so their number is not limited.
  const agent = new (isSecure ? HttpsAgent : Agent)({ keepAlive: true, maxFreeSockets: 64 });
  const request = isSecure ? httpsRequest : httpRequest;
  return {
    ask: ({ headers, ...sent }, on_kept_connection) =>
      connectedInTime(
        request({ ...place, ...sent, headers: [...headers], agent: on_kept_connection ? agent : false }),
      ),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

const placeOf = ({ protocol, hostname, port }: URL) => ({
  protocol,
  hostname: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
});

/** Who does not take a connection within this time is gone, with its machine: nothing was sent. */
const CONNECT_MS = 1000;

function connectedInTime(asked: ClientRequest): ClientRequest {
  asked.once('socket', (socket) => {
    if (!socket.connecting) return;
    const gone = () =>
      asked.destroy(Object.assign(new Error('It takes no connection.'), { code: 'ECONNREFUSED' }));
    const timer = setTimeout(gone, CONNECT_MS);
    const done = () => clearTimeout(timer);
    socket.once('connect', done).once('close', done);
  });
  return asked;
}
