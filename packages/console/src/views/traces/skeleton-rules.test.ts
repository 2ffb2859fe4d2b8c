import { expect, test } from 'vitest';
import { SkeletonReader } from './skeleton-rules.ts';

const items = [
  { id: 'a', name: 'plain' },
  { id: 'b', name: 'a text with },{"id":"x"} in it' },
  { id: 'c', name: ']}' },
  { id: 'd', name: 'a text that ends in },{' },
  { id: 'e', name: 'a quote ", a backslash \\' },
  { id: 'f', name: '', parent_run_id: null },
];
const text = JSON.stringify({ items });

test.each([1, 2, 7, 30, text.length])('when the list comes in pieces of %i, then nothing is lost', (size) => {
  const reader = new SkeletonReader();
  const found: unknown[] = [];
  for (let at = 0; at < text.length; at += size) found.push(...reader.take(text.slice(at, at + size)));
  expect(found).toEqual(items);
});

test('when the list is spaced, then it is read all the same', () => {
  expect(new SkeletonReader().take(JSON.stringify({ items }, null, 2))).toEqual(items);
});

test('when there are no runs, then there is none', () => {
  expect(new SkeletonReader().take('{"items":[]}')).toEqual([]);
});
