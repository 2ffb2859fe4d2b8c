import { expect, test } from 'vitest';
import type { Answer, Call } from '../calls/call.ts';
import { normalAnswers } from './normal.ts';

const [first, second, third] = [1, 2, 3].map((one) => `0000000${one}-0000-4000-8000-000000000000`) as [
  string,
  string,
  string,
];
const value = (one: unknown): Answer => ({ kind: 'value', value: one });
const get: Call = { method: 'threads.get' };

test('when a call keeps its answer, then later answers name its ids, and others are told by kind', () => {
  const answers = [
    value({ thread_id: first, at: '2026-11-28T10:00:00.123Z' }),
    value([`/threads/${first}/runs/${second}`]),
  ];
  expect(normalAnswers([{ ...get, keep: 'thread' }, get], answers)).toEqual([
    value({ thread_id: '<thread.thread_id>', at: '<time>' }),
    value(['/threads/<thread.thread_id>/runs/<id>']),
  ]);
});

test('when several fields are named by ids, then none of them is lost', () => {
  const [one, other] = [
    { [second]: 'b', [third]: 'a' },
    { [third]: 'b', [first]: 'a' },
  ].map((fields) => normalAnswers([get], [value(fields)]));
  expect(one).toEqual([value({ '<id>': 'a', '<id> 2': 'b' })]);
  expect(other).toEqual(one);
});

test('when the order of an answer is left to chance, then its lists are sorted', () => {
  const call: Call = { ...get, unordered: true };
  expect(normalAnswers([call], [value({ items: ['b', 'a'] })])).toEqual([value({ items: ['a', 'b'] })]);
  expect(normalAnswers([get], [value(['b', 'a'])])).toEqual([value(['b', 'a'])]);
});
