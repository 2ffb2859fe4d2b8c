import { createHash } from 'node:crypto';
import { Problem } from '@roadstead/kit';

/** How a WebSocket begins in HTTP/1.1 (RFC 6455, section 4.2). */

/** A server shows by it that it has read the client's key. */
const SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY = /^[A-Za-z\d+/]{22}==$/;

type HandshakeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The client's key.
 * @throws Problem `malformed` for a request that begins no WebSocket
 */
export function keyOf(headers: HandshakeHeaders): string {
  const { 'sec-websocket-key': key, 'sec-websocket-version': version } = headers;
  if (version !== '13')
    throw new Problem('malformed', 'Only version 13 of WebSocket is spoken here (Sec-WebSocket-Version).');
  if (typeof key !== 'string' || !KEY.test(key))
    throw new Problem('malformed', 'The request has no Sec-WebSocket-Key that is one.');
  return key;
}

/** Headers that belong to the client's own connection; the project's app is asked over another. */
export const HANDSHAKE_HEADERS = ['sec-websocket-extensions', 'sec-websocket-key'];

/** The head of the answer that accepts it. */
export function acceptance(key: string, subprotocol: string | undefined): string {
  const accept = createHash('sha1')
    .update(key + SUFFIX)
    .digest('base64');
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(subprotocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${subprotocol}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}
