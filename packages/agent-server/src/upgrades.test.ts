import { expect, test } from 'vitest';
import { requestOf } from './upgrades.ts';

test('when the router has changed a header of a WebSocket, then those who ask who calls see the change', () => {
  const headers = { 'sec-websocket-protocol': 'v1', cookie: 'a=1', 'set-cookie': ['b', 'c'] };
  const request = requestOf({ headers }, 'http://agent/threads/t/stream');
  expect(request.headers.get('sec-websocket-protocol')).toBe('v1');
  expect(request.headers.get('cookie')).toBe('a=1');
});
