import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countCut, cutText, preview, written } from './text-cut-rules.ts';

test.each([
  ['shorter', 'abc', 5, 'abc'],
  ['equal', 'abcde', 5, 'abcde'],
  ['longer', 'abcdefgh', 5, 'abcde... (+3 chars)'],
  ['cut by code points', '😀😀😀', 2, '😀😀... (+1 chars)'],
  ['as long in code points', '😀😀', 2, '😀😀'],
  ['halves of pairs', '\ud83d\ud83d\ude00\ude00', 2, '\ud83d\ud83d\ude00... (+1 chars)'],
  ['recorded with the end of a cut one', 'ab... (+9 chars)', 1, 'a... (+15 chars)'],
  ['never cut', 'abcdefgh', 0, 'abcdefgh'],
  ['an id', '018f0000-0000-7000-8000-000000000001', 8, '018f0000-0000-7000-8000-000000000001'],
  ['a time', '2026-01-05T10:20:30.123456', 8, '2026-01-05T10:20:30.123456'],
  ['a time with an offset', '2026-01-05T10:20:30+01:00', 8, '2026-01-05T10:20:30+01:00'],
])('when a text is %s, then its preview is cut or left whole', (_name, text, chars, cut) => {
  expect(written(preview({ deep: [text] }, chars))).toEqual({ deep: [cut] });
});

const anyText = fc.string({ maxLength: 300, unit: fc.oneof(fc.string({ unit: 'binary', maxLength: 1 })) });
const anyLength = fc.integer({ min: 1, max: 320 });

test('when a text is cut twice, then it is as if cut once, and the number counts from the whole', () => {
  fc.assert(
    fc.property(anyText, anyLength, anyLength, (text, one, other) => {
      expect(written(cutText(cutText(text, one), other))).toBe(written(cutText(text, Math.min(one, other))));
    }),
  );
});

test('when a text is cut, then no pair is split, and code points are counted', () => {
  fc.assert(
    fc.property(anyText, anyLength, (text, chars) => {
      const points = Array.from(text);
      const cut = { head: points.slice(0, chars).join(''), missing: points.length - chars };
      expect(cutText(text, chars)).toEqual(points.length <= chars ? text : cut);
    }),
  );
});

test('when texts are counted, then only those that were cut count as cut', () => {
  expect(countCut(preview(['abc', 'a... (+1 chars)', { deep: 'abcdefghij'.repeat(3) }], 20))).toBe(1);
});
