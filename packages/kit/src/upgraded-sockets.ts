import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers a request to speak another protocol on the connection, which is WebSocket: no other is passed on. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Whether a request asks for a WebSocket; any other protocol that it offers is not taken up, and it is answered as it is. */
export const asksForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/** Answers what is not taken up, and ends the connection. */
export async function refuseUpgrade(socket: Duplex, refusal: Response): Promise<void> {
  const body = Buffer.from(await refusal.arrayBuffer());
  const headers = [...refusal.headers, ['connection', 'close'], ['content-length', String(body.length)]];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.on('error', () => undefined);
  endWhole(socket);
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${refusal.status} Refused\r\n${lines}\r\n`), body]));
}

/** Ends a connection both ways once its last word is out: a client that doesn't end its own side would keep it for ever. */
export function endWhole(socket: Duplex): void {
  socket.once('finish', () => socket.destroy());
}

/** Joins two connections until one of them ends, or nothing has passed for so long. */
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
