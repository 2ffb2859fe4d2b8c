import { expect, test } from 'vitest';
import { isOther, isRenewable } from './session-rules.ts';

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
