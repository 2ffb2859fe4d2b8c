import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batch as batchOf, type PageRequest, paginate as pageOf } from './pagination-rules.ts';
import { bounded, MAX_CHARS, shown } from './shown-item-rules.ts';
import { cutText, preview } from './text-cut-rules.ts';

const small = (items: readonly unknown[], { preview_chars }: PageRequest) =>
  items.map((item) => shown(item, preview_chars));
const paginate = (items: readonly unknown[], asked: PageRequest) => pageOf(small(items, asked), asked);
const batch = (items: readonly unknown[], asked: PageRequest) => batchOf(small(items, asked), asked);
const request = { key: 'runs', page_number: 1, max_chars_per_page: 2000, preview_chars: 150 };

test.each([
  ['shorter', 'abc', 5, 'abc'],
  ['equal', 'abcde', 5, 'abcde'],
  ['longer', 'abcdefgh', 5, 'abcde... (+3 chars)'],
  ['cut by code points', '😀😀😀', 2, '😀😀... (+1 chars)'],
  ['never cut', 'abcdefgh', 0, 'abcdefgh'],
  ['an id', '018f0000-0000-7000-8000-000000000001', 8, '018f0000-0000-7000-8000-000000000001'],
  ['a time', '2026-01-05T10:20:30.123456', 8, '2026-01-05T10:20:30.123456'],
  ['a time with an offset', '2026-01-05T10:20:30+01:00', 8, '2026-01-05T10:20:30+01:00'],
])('a text that is %s', (_name, text, chars, cut) => {
  expect(preview({ deep: [text] }, chars)).toEqual({ deep: [cut] });
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

test('without items there are no pages; a page beyond the last is empty and names their number', () => {
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

test('an item larger than a page has its texts cut further; one without long texts is replaced by a note', () => {
  const [page] = [paginate([{ id: 'a', text: 'x'.repeat(9000) }], { ...request, preview_chars: 0 })];
  expect(JSON.stringify(page).length).toBeLessThanOrEqual(2000);
  expect(page).toMatchObject({ total_pages: 1, truncated_fields: 1, runs: [{ id: 'a' }] });
  const numbers = paginate([Array.from({ length: 5000 }, (_, at) => at)], request);
  expect(numbers).toMatchObject({ runs: [], _truncated: true });
  expect(JSON.stringify(numbers).length).toBeLessThanOrEqual(2000);
});

test('a batch is one page: what does not fit is left out at its end and reported', () => {
  const large = Array.from({ length: 500 }, (_, at) => ({ at, text: 'x'.repeat(100) }));
  const page = batch(large, request);
  expect(JSON.stringify(page).length).toBeLessThanOrEqual(2000);
  expect(page).toMatchObject({ page_number: 1, total_pages: 1, _truncated: true });
  expect((page['runs'] as { at: number }[]).map(({ at }) => at)).toEqual(
    (page['runs'] as unknown[]).map((_, at) => at),
  );
});

test('an item is shown small, however large it is', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, at]));
  const deep = Array.from({ length: 5000 }).reduce<unknown>((inner) => [inner], 'x');
  const text = 'a😀'.repeat(5_000_000);
  for (const item of [many, [many], deep, { text }, Array.from({ length: 500_000 }, () => ['text'])]) {
    expect(shown(item, 0).size).toBeLessThan(10 * MAX_CHARS);
  }
  expect(shown({ text }, 3).value).toEqual({ text: 'a😀a... (+9999997 chars)' });
  expect(bounded({ a: [1, 'x', null], b: { c: true } })).toEqual({ a: [1, 'x', null], b: { c: true } });
});

test('cutting what no page can hold leaves what the page would have shown', () => {
  const item = fc.array(fc.string({ maxLength: 300 }), { maxLength: 400 });
  fc.assert(
    fc.property(item, (texts) => {
      const { value } = shown(
        texts.map((text) => text.repeat(50)),
        0,
      );
      const lengths = (value as string[]).map((text) => text.replace(/\.\.\. \(\+\d+ chars\)$/, '').length);
      const whole = texts.map((text) => text.length * 50);
      const total = lengths.reduce((sum, length) => sum + length, 0);
      const sent = whole.reduce((sum, length) => sum + length, 0);
      // All of it where it fits; else as much as fills a page.
      expect(total).toBeGreaterThanOrEqual(Math.min(sent, MAX_CHARS * 0.9));
    }),
    { numRuns: 30 },
  );
});
