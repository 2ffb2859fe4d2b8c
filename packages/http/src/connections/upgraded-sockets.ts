import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers a request to change the protocol of the connection, always to WebSocket: others are not passed on. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Whether a request asks for a WebSocket. A request that offers any other protocol is answered like an ordinary one.
 */
export const asksForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/** Refuses an upgrade with an answer, and ends the connection. */
export async function refuseUpgrade(socket: Duplex, refusal: Response): Promise<void> {
  const body = Buffer.from(await refusal.arrayBuffer());
  const headers = [...refusal.headers, ['connection', 'close'], ['content-length', String(body.length)]];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.on('error', () => undefined);
  endWhole(socket);
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${refusal.status} Refused\r\n${lines}\r\n`), body]));
}

/**
 * Ends a connection in both directions once its last bytes are sent: a client that never ends its own side would keep
 * it forever.
 */
export function endWhole(socket: Duplex): void {
  socket.once('finish', () => socket.destroy());
}

/** Joins two connections until one of them ends, or nothing has passed for the idle time. */
export function joinSockets(
  one: Duplex & { setTimeout?: (ms: number) => unknown },
  { other, idle_ms }: { readonly other: Duplex; readonly idle_ms: number },
): void {
  const end = () => {
    one.destroy();
    other.destroy();
  };
  for (const socket of [one, other]) socket.on('error', end).on('close', end);
  one.setTimeout?.(idle_ms);
  one.on('timeout', end);
  one.pipe(other);
  other.pipe(one);
}
