import { expect, test } from 'vitest';
import { requestOf } from './upgrades.ts';

test('when the router has changed a WebSocket’s header, then those who ask who calls see it', () => {
  const headers = { 'sec-websocket-protocol': 'v1', cookie: 'a=1', 'set-cookie': ['b', 'c'] };
  const request = requestOf({ headers }, 'http://agent/threads/t/stream');
  expect(request.headers.get('sec-websocket-protocol')).toBe('v1');
  expect(request.headers.get('cookie')).toBe('a=1');
});
