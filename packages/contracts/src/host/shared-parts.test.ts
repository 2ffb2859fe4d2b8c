import { expect, test } from 'vitest';
import { isShareable, SharedParts } from './shared-parts.ts';

const event = (data: unknown, more: { readonly shares?: number; readonly shared?: number }) => ({
  kind: 'stream' as const,
  event: 'messages',
  ns: [],
  data,
  ...more,
});

test.each([
  ['an object of texts', { a: 'text', b: 1, c: null }, true],
  ['short lists', { tags: ['a', 'b'] }, true],
  ['a list', ['a'], false],
  ['a text', 'a', false],
  ['nothing', undefined, false],
  ['a long list', { tags: Array.from({ length: 17 }, () => 'a') }, false],
  ['a small object in it', { a: { b: 1, c: 'text' } }, true],
  ['a larger object in it', { a: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, 1])) }, false],
  ['a long text in an object', { a: { b: 'a'.repeat(70_000) } }, false],
  ['a long name in an object', { a: { ['a'.repeat(70_000)]: 1 } }, false],
  ['an object in an object', { a: { b: {} } }, false],
  ['an object in a list', { a: [{}] }, false],
  ['much text', { a: 'a'.repeat(70_000) }, false],
  ['many names', Object.fromEntries(Array.from({ length: 70_000 }, (_, at) => [at, 1])), false],
])('when a part is %s, then it may be shared: %s', (_what, value, may) => {
  expect(isShareable(value)).toBe(may);
});

test('when a host shares parts with gaps between their numbers, then the last few alone are kept', () => {
  const parts = new SharedParts(2);
  for (const shares of [17, 34, 51]) parts.whole(event([0, { shares }], { shares }));
  expect(parts.whole(event([1], { shared: 51 })).data).toEqual([1, { shares: 51 }]);
  expect(parts.whole(event([1], { shared: 34 })).data).toEqual([1, { shares: 34 }]);
  expect(() => parts.whole(event([1], { shared: 17 }))).toThrow('shares what was not sent');
});

test.each([
  ['a number twice', [0, { a: 1 }], 5],
  ['an earlier number', [0, { a: 1 }], 4],
  ['what is large', [0, { a: 'a'.repeat(70_000) }], 6],
  ['what is no list', { a: 1 }, 6],
])('when a host shares %s, then that is refused', (_what, data, shares) => {
  const parts = new SharedParts();
  parts.whole(event([0, { a: 0 }], { shares: 5 }));
  expect(() => parts.whole(event(data, { shares }))).toThrow('shares what it may not');
});
