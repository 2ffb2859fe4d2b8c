import fc from 'fast-check';
import { expect, test } from 'vitest';
import { whyUnusable } from './usable-rules.ts';

test('when the JSON of a value has no more bytes than allowed, then it can be used; else not', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 10 }), fc.integer({ min: 1, max: 500 }), (json, max_bytes) => {
      const value: unknown = JSON.parse(json.replaceAll(/\\u0000|\\ud[89a-f]../gi, ''));
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(whyUnusable(value, max_bytes) === undefined).toBe(bytes <= max_bytes);
    }),
  );
});

test.each([
  ['an absent value', undefined, 'undefined'],
  ['a text with NUL', ['\0'], /NUL/],
  ['a key of half a pair', { '\ud800': 1 }, /surrogate/],
  ['a deep value', JSON.parse('['.repeat(5000) + ']'.repeat(5000)), /more than 100 levels/],
])('when %s is given, then the reason why it can’t be used is told', (_, value, why) => {
  expect(String(whyUnusable(value, 100_000))).toMatch(why);
});
