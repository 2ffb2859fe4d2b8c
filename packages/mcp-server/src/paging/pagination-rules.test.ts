import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batch, MAX_CHARS, paginate } from './pagination-rules.ts';
import { cutText, preview } from './text-cut-rules.ts';

const request = { key: 'runs', page_number: 1, max_chars_per_page: 2000, preview_chars: 150 };

test.each([
  ['shorter', 'abc', 5, 'abc'],
  ['equal', 'abcde', 5, 'abcde'],
  ['longer', 'abcdefgh', 5, 'abcde... (+3 chars)'],
  ['cut by code points', '😀😀😀', 2, '😀😀... (+1 chars)'],
  ['never cut', 'abcdefgh', 0, 'abcdefgh'],
])('a text that is %s', (_name, text, chars, shown) => {
  expect(preview({ deep: [text] }, chars)).toEqual({ deep: [shown] });
});

test('cutting twice is cutting once, and the number counts from the whole text', () => {
  const chars = fc.integer({ min: 1, max: 300 });
  fc.assert(
    fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), chars, chars, (text, one, other) => {
      fc.pre(!text.endsWith('chars)'));
      expect(cutText(cutText(text, one), other)).toBe(cutText(text, Math.min(one, other)));
    }),
  );
});

test('no items have no pages; a page beyond the last is empty and says how many there are', () => {
  expect(paginate([], request)).toMatchObject({ runs: [], total_pages: 0 });
  expect(paginate(['a'], { ...request, page_number: 9 })).toMatchObject({
    runs: [],
    page_number: 9,
    total_pages: 1,
    note: 'There is no page 9; the last one is 1.',
  });
});

test('every page fits the budget, and together they hold every item once and in order', () => {
  const item = fc.record({ id: fc.integer(), text: fc.string({ maxLength: 400, unit: 'binary' }) });
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 30 }),
      fc.integer({ min: 1000, max: 40_000 }),
      fc.integer({ min: -1, max: 200 }),
      (items, max_chars_per_page, preview_chars) => {
        const of = (page_number: number) =>
          paginate(items, { key: 'runs', page_number, max_chars_per_page, preview_chars });
        const total = of(1)['total_pages'] as number;
        const pages = Array.from({ length: total }, (_, at) => of(at + 1));
        for (const page of pages) {
          expect(JSON.stringify(page).length).toBeLessThanOrEqual(Math.min(max_chars_per_page, MAX_CHARS));
          expect(page['total_pages']).toBe(total);
        }
        const ids = pages.flatMap((page) => (page['runs'] as { id: number }[]).map(({ id }) => id));
        expect(ids).toEqual(items.map(({ id }) => id));
      },
    ),
  );
});

test('an item larger than a page has its texts cut further; one that is all structure says so', () => {
  const [page] = [paginate([{ id: 'a', text: 'x'.repeat(9000) }], { ...request, preview_chars: 0 })];
  expect(JSON.stringify(page).length).toBeLessThanOrEqual(2000);
  expect(page).toMatchObject({ total_pages: 1, truncated_fields: 1, runs: [{ id: 'a' }] });
  const numbers = paginate([Array.from({ length: 5000 }, (_, at) => at)], request);
  expect(numbers).toMatchObject({ runs: [], _truncated: true });
  expect(JSON.stringify(numbers).length).toBeLessThanOrEqual(2000);
});

test('a batch is one page: what does not fit is left out at its end, and told', () => {
  const large = Array.from({ length: 500 }, (_, at) => ({ at, text: 'x'.repeat(100) }));
  const page = batch(large, request);
  expect(JSON.stringify(page).length).toBeLessThanOrEqual(2000);
  expect(page).toMatchObject({ page_number: 1, total_pages: 1, _truncated: true });
  expect((page['runs'] as { at: number }[]).map(({ at }) => at)).toEqual(
    (page['runs'] as unknown[]).map((_, at) => at),
  );
});
