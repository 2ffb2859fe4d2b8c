import { expect, test } from 'vitest';
import { dueBy } from './push-rules.ts';

const many = (count: number, at: (n: number) => number) =>
  new Map(Array.from({ length: count }, (_, n) => [`${n}`, at(n)] as const));

test.each([
  ['nothing waits', new Map<string, number>(), [], undefined],
  ['one has come', new Map([['a', 10]]), ['a'], undefined],
  [
    'one comes later',
    new Map([
      ['a', 9],
      ['c', 30],
      ['b', 20],
    ]),
    ['a'],
    20,
  ],
])('when %s, then it is told, and when to look again', (_, times, due, next_ms) => {
  expect(dueBy(times, 10)).toEqual({ due, has_more: false, next_ms });
});

test('when three hundred thousand notifications wait, then the first of them is found', () => {
  expect(
    dueBy(
      many(300_000, (n) => 300_000 - n),
      0,
    ),
  ).toEqual({ due: [], has_more: false, next_ms: 1 });
});
