import { expect, test } from 'vitest';
import { figuresOf } from './figures-rules.ts';

test('when a line has a gap, then its place is empty, and times without values are left out', () => {
  expect(figuresOf([10, 20, 30], [{ values: [1, null] }, { values: [2, null, 0] }])).toEqual([
    { at_ms: 10, values: [1, 2] },
    { at_ms: 30, values: [null, 0] },
  ]);
  expect(figuresOf([10], [])).toEqual([]);
});
