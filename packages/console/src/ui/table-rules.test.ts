import { expect, test } from 'vitest';
import { markedIndex } from './table-rules.ts';

test.each([
  [['a', 'b', 'c'], { key: undefined, index: 0 }, 0],
  [['new', 'a', 'b', 'c'], { key: 'b', index: 1 }, 2],
  [['a', 'c'], { key: 'b', index: 1 }, 1],
  [['a'], { key: 'c', index: 2 }, 0],
  [[], { key: 'c', index: 2 }, 0],
])('when the rows are %j and %j is marked, then the mark is at %i', (keys, marked, index) => {
  expect(markedIndex(keys, marked)).toBe(index);
});
