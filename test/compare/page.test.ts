import { expect, test } from 'vitest';
import type { Answer, Scenario } from './calls/call.ts';
import { pageOf, unexplained, unusedReasons } from './page.ts';
import { compareCalls } from './rules/comparison.ts';
import { reasons } from './rules/reasons.ts';

const scenario: Scenario = {
  name: 'store',
  project: 'open',
  calls: [{ method: 'store.search_items', at: [['notes']] }, { method: 'store.get_item' }],
};

function compared(...ours: readonly unknown[]) {
  const answers = (all: readonly unknown[]): Answer[] => all.map((value) => ({ kind: 'value', value }));
  const theirs = answers([{ items: [{ key: 'one', score: null }] }, { key: 'one' }]);
  return compareCalls('Python', [scenario], { theirs: [theirs], ours: [answers(ours)] });
}

test('when an answer differs in a field that has no reason, then the page names both', () => {
  const calls = compared({ items: [{ key: 'one', score: null }] }, { key: 'two' });
  const difference = { path: 'value.key', theirs: 'one', ours: 'two' };
  expect(unexplained(calls)).toEqual([{ call: 'Python, store, call 2 (store.get_item)', difference }]);
  expect(pageOf(calls)).toContain('`value.key` is `"one"` there and `"two"` here');
});

test('when a difference has a reason, then it counts for it, and no other reason is used', () => {
  const calls = compared({ items: [{ key: 'one' }] }, { key: 'one' });
  expect(unexplained(calls)).toEqual([]);
  expect(unusedReasons(calls)).toHaveLength(reasons.length - 1);
  expect(pageOf(calls)).toContain('| Python | 2 | 1 | 1 | 0 |');
});

test('when a call has no answer, then nothing is compared', () => {
  expect(() => compared({ items: [] })).toThrow('store: call 1 has no answer');
});
