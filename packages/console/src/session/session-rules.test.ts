import { expect, test } from 'vitest';
import { isOther, isRenewable, silentOutcome } from './session-rules.ts';

test.each([
  ['https://a.example/v2/deployments', true],
  ['https://a.example/api/v1/runs?agents=/agents/', true],
  ['https://a.example/agents/support-agent/threads/search', false],
])('when %s refuses a token, then another is asked for: %s', (url, is) => {
  expect(isRenewable(url)).toBe(is);
});

const ada = { actor: 'user:1', workspace: { id: 'w1' } };

test.each([
  [undefined, ada, false],
  [ada, { ...ada }, false],
  [ada, { actor: 'user:2', workspace: { id: 'w1' } }, true],
  [ada, { actor: 'user:1', workspace: { id: 'w2' } }, true],
  [ada, { actor: 'user:1', workspace: null }, true],
])('when %j was there and %j is, then it is another: %s', (before, now, is) => {
  expect(isOther(before, now)).toBe(is);
});

const asked = { state: 's1', callback: '/console/callback', is_renewal: true };

test.each([
  ['/console/callback?code=c1&state=s1', 200, {}, { code: 'c1' }],
  ['/console/callback?error=login_required&state=s1', 200, {}, 'sign in'],
  ['/console/callback?code=c1&state=other', 200, {}, 'ask later'],
  ['/oauth/authorize?prompt=none', 429, {}, 'ask later'],
  ['/oauth/authorize?prompt=none', 400, {}, 'ask later'],
  ['/oauth/authorize?prompt=none', 502, { is_renewal: false }, 'ask later'],
  ['/oauth/authorize?prompt=none', 400, { is_renewal: false }, 'sign in'],
])(
  'when asking in the background ends at %s with %i (%j), then %j follows',
  (path, status, more, outcome) => {
    const url = new URL(path, 'https://a.example');
    expect(silentOutcome({ url, status }, { ...asked, ...more })).toEqual(outcome);
  },
);
