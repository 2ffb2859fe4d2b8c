import { expect, test } from 'vitest';
import { acceptance, keyOf } from './handshake.ts';

const key = 'dGhlIHNhbXBsZSBub25jZQ==';

test('when a client shows its key, then the answer proves that it was read', () => {
  expect(keyOf({ 'sec-websocket-key': key, 'sec-websocket-version': '13' })).toBe(key);
  expect(acceptance(key, undefined).split('\r\n')).toEqual([
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    // The example of RFC 6455.
    'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
    '',
    '',
  ]);
  expect(acceptance(key, 'chat')).toContain('\r\nSec-WebSocket-Protocol: chat\r\n');
});

test.each([
  [{}, 'version 13'],
  [{ 'sec-websocket-key': key, 'sec-websocket-version': '8' }, 'version 13'],
  [{ 'sec-websocket-version': '13' }, 'Sec-WebSocket-Key'],
  [{ 'sec-websocket-key': 'short', 'sec-websocket-version': '13' }, 'Sec-WebSocket-Key'],
])('when a WebSocket begins with %j, then it is refused', (headers, words) => {
  expect(() => keyOf(headers)).toThrow(words);
});
