import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batch as batchOf, type PageRequest, paginate as pageOf } from './pagination-rules.ts';
import { bounded, MAX_CHARS, shown } from './shown-item-rules.ts';

const small = (items: readonly unknown[], { preview_chars }: PageRequest) =>
  items.map((item) => shown(item, preview_chars));
const paginate = (items: readonly unknown[], asked: PageRequest) => pageOf(small(items, asked), asked);
const batch = (items: readonly unknown[], asked: PageRequest) => batchOf(small(items, asked), asked);
const request = { key: 'runs', page_number: 1, max_chars_per_page: 2000, preview_chars: 150 };

interface Item {
  readonly id: number;
  readonly text: string;
}
const runsOf = (page: object) => (page as { runs: Item[] }).runs;
const lengthOf = (page: object) => JSON.stringify(page).length;
/** Every page of the items. */
function pagesOf(items: readonly unknown[], asked: Omit<PageRequest, 'page_number'>) {
  const page = (page_number: number) => paginate(items, { ...asked, page_number });
  const total = page(1)['total_pages'] as number;
  return Array.from({ length: total }, (_, at) => page(at + 1));
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: fc.constantFrom('😀', 'é', '\ud83d', '"', '\\', '\n', 'a'), maxLength: 400 }),
  fc.nat(99).map((n) => `ends as a cut text does... (+${n} chars)`),
);
const anyItem = fc.record({ id: fc.integer(), text: anyText });
const anyBudget = fc.integer({ min: 1000, max: 40_000 });

test.each<[string, readonly unknown[], Partial<PageRequest>, object]>([
  ['no items', [], {}, { runs: [], page_number: 1, total_pages: 0, truncated_fields: 0 }],
  [
    'no items, page 2',
    [],
    { page_number: 2 },
    { runs: [], total_pages: 0, note: 'There is no page 2; nothing was found.' },
  ],
  [
    'a page beyond the last',
    ['a'],
    { page_number: 9 },
    { runs: [], page_number: 9, total_pages: 1, note: 'There is no page 9; the last one is 1.' },
  ],
  ['a budget above the most', ['a'], { max_chars_per_page: 31_000 }, { max_chars_per_page: MAX_CHARS }],
  ['a text of exactly that length', ['x'.repeat(150)], {}, { runs: ['x'.repeat(150)], truncated_fields: 0 }],
  [
    'a text that is one longer',
    ['x'.repeat(151)],
    { when_cut: 'Call get_run.' },
    { runs: [`${'x'.repeat(150)}... (+1 chars)`], truncated_fields: 1, note: 'Call get_run.' },
  ],
  ['nothing cut', ['x'], { when_cut: 'Call get_run.' }, { note: undefined }],
  ['a long key', [{ ['k'.repeat(300)]: 1 }], {}, { runs: [{ ['k'.repeat(300)]: 1 }], truncated_fields: 0 }],
  ['a pair at the cut', ['😀'.repeat(4)], { preview_chars: 3 }, { runs: ['😀😀😀... (+1 chars)'] }],
  [
    'a note of its own beside',
    ['x'.repeat(151)],
    { when_cut: 'Call get_run.', more: { note: 'The end is missing.' } },
    { note: 'The end is missing. Call get_run.' },
  ],
  [
    'an item of many numbers',
    [Array.from({ length: 5000 }, (_, at) => at)],
    { when_cut: 'Call get_run.' },
    {
      runs: [],
      total_pages: 1,
      _truncated: true,
      _truncated_message: expect.stringMatching(/ask again with more/) as string,
      _truncated_preview: expect.stringMatching(/^\[\[0,1,2,/) as string,
      note: 'Call get_run.',
    },
  ],
])('when the items are a corner case, then the page says so: %s', (_case, items, asked, says) => {
  const page = paginate(items, { ...request, ...asked });
  expect({ note: undefined, ...page }).toMatchObject(says);
  expect(lengthOf(page)).toBeLessThanOrEqual(Math.max(2000, asked.max_chars_per_page ?? 0));
});

test('when items are paged, then each page fits, and together they hold all once, in order', () => {
  fc.assert(
    fc.property(
      fc.array(anyItem, { maxLength: 40 }),
      anyBudget,
      fc.integer({ min: -1, max: 300 }),
      (items, max_chars_per_page, preview_chars) => {
        const when_cut = 'What is cut can be read whole.';
        const pages = pagesOf(items, { key: 'runs', max_chars_per_page, preview_chars, when_cut });
        for (const page of pages) {
          expect(lengthOf(page)).toBeLessThanOrEqual(Math.min(max_chars_per_page, MAX_CHARS));
          expect(page['total_pages']).toBe(pages.length);
          expect(page['note']).toBe(page['truncated_fields'] === 0 ? undefined : when_cut);
        }
        expect(pages.flatMap(runsOf).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
      },
    ),
  );
});

test('when a text is cut, then it begins like the whole and says how many code points it lacks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ id: fc.integer(), text: fc.tuple(anyText, fc.integer({ min: 1, max: 60 })) })),
      anyBudget,
      fc.integer({ min: 0, max: 300 }),
      (large, max_chars_per_page, preview_chars) => {
        const items = large.map(({ id, text: [text, times] }) => ({ id, text: text.repeat(times) }));
        const pages = pagesOf(items, { key: 'runs', max_chars_per_page, preview_chars });
        const shownTexts = pages.flatMap(runsOf).map(({ text }) => text);
        const cut = items
          .map(({ text }, at) => ({ whole: text, told: shownTexts[at] ?? '' }))
          .filter(({ whole, told }) => told !== whole);
        for (const { whole, told } of cut) {
          const [suffix = '', missing] = /\.\.\. \(\+(\d+) chars\)$/.exec(told) ?? [];
          const head = Array.from(told.slice(0, told.length - suffix.length));
          expect(whole.startsWith(head.join(''))).toBe(true);
          expect(head.length + Number(missing)).toBe(Array.from(whole).length);
          expect(head.length).toBeLessThanOrEqual(preview_chars > 0 ? preview_chars : MAX_CHARS);
        }
        expect(pages.reduce((sum, page) => sum + (page['truncated_fields'] as number), 0)).toBe(cut.length);
      },
    ),
  );
});

test('when items are added at the end, then no page but the last changes', () => {
  fc.assert(
    fc.property(
      fc.array(anyItem, { minLength: 1, maxLength: 130 }),
      fc.nat(130),
      fc.integer({ min: 1000, max: 2000 }),
      (items, count, max_chars_per_page) => {
        const asked = { key: 'runs', max_chars_per_page, preview_chars: 100 };
        const before = pagesOf(items.slice(0, count), asked).map(runsOf);
        const after = pagesOf(items, asked).map(runsOf);
        expect(after.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1));
      },
    ),
  );
});

test('when there are ten pages or more, then they hold all, however tightly they are filled', () => {
  const items = Array.from({ length: 160 }, (_, at) => ({ id: 100 + at, text: 'x'.repeat(40) }));
  for (let budget = 1000; budget < 1070; budget += 1) {
    const pages = pagesOf(items, { key: 'runs', max_chars_per_page: budget, preview_chars: 0 });
    expect(pages.flatMap(runsOf).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  }
});

test('when an item is larger than a page, then it is alone on it, its texts cut further', () => {
  const items = [{ id: 'a' }, { id: 'b', text: 'x'.repeat(9000), other: 'y'.repeat(60) }, { id: 'c' }];
  const pages = pagesOf(items, { ...request, preview_chars: 0 });
  expect(pages.map((page) => runsOf(page).map(({ id }) => id))).toEqual([['a'], ['b'], ['c']]);
  const text = runsOf(pages[1] ?? {})[0]?.text ?? '';
  const [, missing] = /^x{1000,}\.\.\. \(\+(\d+) chars\)$/.exec(text) ?? [];
  expect(text.indexOf('.') + Number(missing)).toBe(9000);
  expect(pages[1]).toMatchObject({ truncated_fields: 1, runs: [{ other: 'y'.repeat(60) }] });
});

test('when a batch does not fit one page, then its end is left out, and that is reported', () => {
  const large = Array.from({ length: 500 }, (_, at) => ({ at, text: 'x'.repeat(100) }));
  const page = batch(large, { ...request, more: { has_more: false } });
  expect(lengthOf(page)).toBeLessThanOrEqual(2000);
  expect(page).toMatchObject({ page_number: 1, total_pages: 1, _truncated: true, has_more: true });
  expect((page['runs'] as { at: number }[]).map(({ at }) => at)).toEqual(
    (page['runs'] as unknown[]).map((_, at) => at),
  );
});

test('when a batch holds any items, then it fits the budget', () => {
  fc.assert(
    fc.property(
      fc.array(anyItem, { maxLength: 120 }),
      fc.integer({ min: 1000, max: 9000 }),
      (items, max_chars_per_page) => {
        const page = batch(items, { ...request, max_chars_per_page, preview_chars: 0 });
        expect(lengthOf(page)).toBeLessThanOrEqual(max_chars_per_page);
        const ids = runsOf(page).map(({ id }) => id);
        expect(ids).toEqual(items.slice(0, ids.length).map(({ id }) => id));
        expect(page['_truncated']).toBe(ids.length === items.length ? undefined : true);
      },
    ),
  );
});

test('when an item is large, then it is still shown small', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, at]));
  const deep = Array.from({ length: 5000 }).reduce<unknown>((inner) => [inner], 'x');
  const text = 'a😀'.repeat(5_000_000);
  const key = { ['k'.repeat(5_000_000)]: 1, after: 2 };
  for (const item of [many, [many], deep, key, { text }, Array.from({ length: 500_000 }, () => ['text'])]) {
    expect(shown(item, 0).size).toBeLessThan(10 * MAX_CHARS);
    expect(lengthOf(paginate([item], { ...request, preview_chars: 0 }))).toBeLessThanOrEqual(2000);
  }
  expect(paginate([{ text }], { ...request, preview_chars: 3 })).toMatchObject({
    runs: [{ text: 'a😀a... (+9999997 chars)' }],
  });
  expect(paginate([key, { id: 'b' }], request)).toMatchObject({ truncated_fields: 1, total_pages: 1 });
  expect(bounded({ a: [1, 'x', null], b: { c: true } })).toEqual({ a: [1, 'x', null], b: { c: true } });
});

test('when a value is too large for any page, then it is cut no further than the page needs', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 300 }), { maxLength: 400 }), (texts) => {
      const whole = texts.map((text) => text.repeat(50));
      const [page] = pagesOf([whole], { ...request, preview_chars: 0, max_chars_per_page: MAX_CHARS });
      // All of it where it fits; else as much as fills a page.
      expect(lengthOf(page ?? {})).toBeGreaterThanOrEqual(Math.min(lengthOf(whole), MAX_CHARS * 0.8));
    }),
    { numRuns: 30 },
  );
});
