import { expect, test } from 'vitest';
import { mergedRuns, MOST_PAGES, readNewest } from './live-rules.ts';

const PAGE = 2;
/** Answers the runs of these numbers, newest first, in pages. */
const pagesOf = (count: number) => async (cursor: string | undefined) => {
  const from = cursor === undefined ? count : Number(cursor);
  const items = Array.from({ length: Math.min(PAGE, from) }, (_one, index) => ({ id: String(from - index) }));
  return { items, next_cursor: from > PAGE ? String(from - PAGE) : null };
};
const idsOf = (runs: readonly { readonly id: string }[]) => runs.map(({ id }) => Number(id));

test.each([
  { count: 5, known: undefined, read: [5, 4], has_gap: false },
  { count: 5, known: ['5'], read: [5, 4], has_gap: false },
  { count: 6, known: ['2', '1'], read: [6, 5, 4, 3, 2, 1], has_gap: false },
  { count: 5, known: [], read: [5, 4, 3, 2, 1], has_gap: false },
  {
    count: 50,
    known: ['1'],
    read: Array.from({ length: PAGE * MOST_PAGES }, (_one, index) => 50 - index),
    has_gap: true,
  },
])(
  'when $count runs are there and $known are known, then $read are read',
  async ({ count, known, read, has_gap }) => {
    const found = await readNewest(pagesOf(count), known && new Set(known));
    expect([idsOf(found.rows), found.has_gap]).toEqual([read, has_gap]);
  },
);

test('when a run is read again, then it is there once, as it was last heard of', () => {
  const merged = mergedRuns(
    [{ id: 'b', is_new: true }],
    [
      { id: 'b', is_new: false },
      { id: 'a', is_new: false },
    ],
  );
  expect(merged).toEqual([
    { id: 'b', is_new: true },
    { id: 'a', is_new: false },
  ]);
});
