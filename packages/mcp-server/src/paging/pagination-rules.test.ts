import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paginate, preview, singlePage } from './pagination-rules.ts';

const request = { key: 'runs', page_number: 1, max_chars_per_page: 2000, preview_chars: 150 };

test.each([
  ['shorter', 'abc', 5, 'abc'],
  ['equal', 'abcde', 5, 'abcde'],
  ['longer', 'abcdefgh', 5, 'abcde... (+3 chars)'],
  ['by code points', '😀😀😀', 2, '😀😀... (+1 chars)'],
  ['never', 'abcdefgh', 0, 'abcdefgh'],
])('a text that is %s', (_name, text, chars, shown) => {
  expect(preview({ deep: [text] }, chars)).toEqual({ deep: [shown] });
});

test('no items have no pages; a page beyond the last is empty and says how many there are', () => {
  expect(paginate([], request)).toMatchObject({ runs: [], total_pages: 0 });
  expect(paginate(['a'], { ...request, page_number: 9 })).toMatchObject({
    runs: [],
    page_number: 9,
    total_pages: 1,
  });
});

test('the budget is clamped, and a single page holds to it too', () => {
  expect(singlePage(['a'], { ...request, max_chars_per_page: 99_999 })).toMatchObject({
    max_chars_per_page: 30_000,
    page_number: 1,
    total_pages: 1,
  });
  const large = Array.from({ length: 500 }, (_, at) => ({ at, text: 'x'.repeat(100) }));
  expect(JSON.stringify(singlePage(large, request)).length).toBeLessThanOrEqual(2000);
});

test('every page fits the budget, and together they hold every item once and in order', () => {
  const item = fc.record({ id: fc.uuid(), text: fc.string({ maxLength: 400 }) });
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 30 }),
      fc.integer({ min: 1000, max: 5000 }),
      (items, max_chars_per_page) => {
        const first = paginate(items, { ...request, max_chars_per_page }) as { total_pages: number };
        const seen: unknown[] = [];
        for (let page_number = 1; page_number <= first.total_pages; page_number += 1) {
          const page = paginate(items, { ...request, max_chars_per_page, page_number }) as {
            runs: { id: string }[];
          };
          expect(JSON.stringify(page).length).toBeLessThanOrEqual(max_chars_per_page);
          seen.push(...page.runs.map(({ id }) => id));
        }
        expect(seen).toEqual(items.map(({ id }) => id));
      },
    ),
    { numRuns: 60 },
  );
});
