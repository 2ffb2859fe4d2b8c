import fc from 'fast-check';
import { longestHold, MOST_HELD_MS } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { textPage } from './text-pages.ts';

const pagesOf = async (text: string, room: number) => {
  const { total_pages } = await textPage(text, { page_number: 1, room });
  const numbers = Array.from({ length: total_pages }, (_, at) => at + 1);
  return Promise.all(numbers.map(async (page_number) => (await textPage(text, { page_number, room })).text));
};

test('when a text is paged, then its pages are the text, fit, and split no pair', async () => {
  const unit = fc.constantFrom('😀', 'é', '\ud83d', '\ude00', '"', '\\', '\n', '\u0001', '\u007f', 'a', 'bc');
  const texts = fc.oneof(fc.string({ unit, maxLength: 500 }), fc.string({ unit: 'binary', maxLength: 500 }));
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 6, max: 700 }), async (text, room) => {
      const pages = await pagesOf(text, room);
      expect(pages.join('')).toBe(text);
      for (const page of pages) expect(JSON.stringify(page).length - 2).toBeLessThanOrEqual(room);
      expect(pages.reduce((sum, page) => sum + Array.from(page).length, 0)).toBe(Array.from(text).length);
    }),
  );
});

test.each([
  ['an empty text has one page', '', 1, { text: '', total_pages: 1 }],
  ['beyond the last there is nothing', 'abcdefg', 3, { text: '', total_pages: 2 }],
  ['the last page holds the rest', 'abcdefg', 2, { text: 'g', total_pages: 2 }],
])('when a page of a text is asked for, then %s', async (_what, text, page_number, page) => {
  expect(await textPage(text, { page_number, room: 6 })).toEqual(page);
});

test('when a text is large, then its pages hold nobody up', async () => {
  const text = '😀"\n'.repeat(5_000_000);
  expect(await longestHold(() => textPage(text, { page_number: 2, room: 20_000 }))).toBeLessThan(
    MOST_HELD_MS,
  );
});
