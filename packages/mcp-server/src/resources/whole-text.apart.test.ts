import fc from 'fast-check';
import { expect, test } from 'vitest';
import { longestHold } from '@roadstead/testing';
import { jsonText, PAGE_CHARS, pageOfText } from './whole-text.ts';

test('when JSON is written in pieces, then it is that of JSON.stringify', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (value) => {
      expect(await jsonText(value)).toBe(JSON.stringify(value));
    }),
  );
  expect(await jsonText({ a: undefined, b: 1 })).toBe('{"b":1}');
});

test('when a text is paged, then the pages together are the text, and none splits a character', () => {
  const unit = fc.constantFrom('a', '😀', '\n');
  fc.assert(
    fc.property(
      fc.array(unit, { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 1, max: 9 }),
      (few, shift) => {
        const text = 'x'.repeat(shift) + few.join('').repeat(2000);
        const { total_pages } = pageOfText(text, 1) ?? { total_pages: 0 };
        const pages = Array.from({ length: total_pages }, (_, at) => pageOfText(text, at + 1)?.text ?? '');
        expect(pages.join('')).toBe(text);
        for (const page of pages) {
          expect(page.isWellFormed()).toBe(true);
          expect(page.length).toBeLessThanOrEqual(PAGE_CHARS + 1);
        }
        expect(pageOfText(text, total_pages + 1)).toBeUndefined();
      },
    ),
    { numRuns: 30 },
  );
  expect(pageOfText('', 1)).toEqual({ text: '', total_pages: 1 });
});

test('when a value is large, then it does not hold up others', async () => {
  const value = Array.from({ length: 300_000 }, (_, at) => ({ at, text: 'some text' }));
  expect(await longestHold(() => jsonText(value))).toBeLessThan(100);
});
