import { expect, test, vi } from 'vitest';
import { checkedResult } from '../values/checked-peer.ts';
import { createAuth } from './auth.ts';

const authOf = (authenticate: () => unknown) =>
  createAuth({ '~handlerCache': { authenticate, callbacks: { '*': () => true } } }, 'auth');

test('when auth answers, then its answer is checked once', async () => {
  using parse = vi.spyOn(JSON, 'parse');
  const auth = authOf(() => ({ identity: 'ada', team: 'blue' }));
  checkedResult('authenticate', await auth.authenticate({ method: 'GET', url: '/', headers: [] }));
  const user = { identity: 'ada', permissions: [] };
  const asked = { user, resource: 'threads', action: 'create', value: { team: 'blue' } } as const;
  checkedResult('authorize', await auth.authorize(asked));
  expect(parse.mock.calls.filter(([text]) => text.includes('blue'))).toHaveLength(2);
});

test('when a user can’t be written as JSON, then the call is refused', async () => {
  const user: { identity: string; self?: unknown } = { identity: 'ada' };
  user.self = user;
  const answer = await authOf(() => user).authenticate({ method: 'GET', url: '/', headers: [] });
  expect(answer).toMatchObject({ refused: { status: 500 } });
});
