import { expect, test } from 'vitest';
import { allRows, firstRows, whileOnePage } from './pages.ts';

const every = whileOnePage(5000);

test.each([
  ['nothing was read', undefined, 5000],
  ['one page was read', { pages: [[]] }, 5000],
  ['two pages were read', { pages: [[], []] }, false],
])('when %s, then it asks again in %s: %s', (_when, data, expected) => {
  expect(every({ state: { data } })).toBe(expected);
});

test.each([
  [0, [0]],
  [9, [0]],
  [10, [0, 10, 20, 30]],
  [35, [0, 10, 20, 30]],
  [40, [0, 10, 20, 30, 40, 50, 60]],
])('when a list has %i rows, then all are read, asking at %j', async (count, expected) => {
  const rows = Array.from({ length: count }, (_, id) => ({ id: String(id) }));
  const asked: number[] = [];
  const ask = async (offset: number) => {
    asked.push(offset);
    return rows.slice(offset, offset + 10);
  };
  expect(await allRows(ask, { size: 10, at_once: 3 })).toEqual(rows);
  expect(asked).toEqual(expected);
});

test('when a row is put before others while they are read, then none comes twice', async () => {
  let rows = ['c', 'b', 'a'].map((id) => ({ id }));
  const ask = async (offset: number) => {
    const page = rows.slice(offset, offset + 2);
    if (offset === 0) rows = [{ id: 'd' }, ...rows];
    return page;
  };
  expect((await allRows(ask, { size: 2, at_once: 1 })).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
});

test.each([
  [1000, [undefined, '2', '4'], 5],
  [3, [undefined, '2'], 3],
])('when at most %i rows are wanted, then pages at %j are asked for', async (most, cursors, count) => {
  const all = [0, 1, 2, 3, 4];
  const asked: (string | undefined)[] = [];
  const rows = await firstRows(most, async ({ cursor }) => {
    asked.push(cursor);
    const end = Number(cursor ?? 0) + 2;
    return { items: all.slice(end - 2, end), next_cursor: end < all.length ? String(end) : null };
  });
  expect([asked, rows]).toEqual([cursors, all.slice(0, count)]);
});
