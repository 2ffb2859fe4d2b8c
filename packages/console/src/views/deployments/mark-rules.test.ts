import { expect, test } from 'vitest';
import { marksIn } from './mark-rules.ts';

/** Hits in brackets. */
const marked = (text: string, words: string | undefined) =>
  marksIn(text, words)
    .map(({ piece, is_hit }) => (is_hit ? `[${piece}]` : piece))
    .join('');

test.each([
  ['an Error and an error', 'error', 'an [Error] and an [error]'],
  ['errorerror', 'error', '[error][error]'],
  ['nothing', 'error', 'nothing'],
  ['a.b (c) axb', '.b (c)', 'a[.b (c)] axb'],
  ['C:\\a/b', '\\a/', 'C:[\\a/]b'],
  ['İx x', 'x', 'İ[x] [x]'],
  ['all of it', '', 'all of it'],
  ['all of it', undefined, 'all of it'],
])('when %j is searched for %j, then %j is marked', (text, words, is) => {
  expect(marked(text, words)).toBe(is);
});

test('when a long text is nothing but hits, then each is one piece with its place', () => {
  const pieces = marksIn('a'.repeat(4000), 'a');
  expect(pieces).toHaveLength(4000);
  expect(pieces.at(-1)).toEqual({ at: 3999, piece: 'a', is_hit: true });
});
