import fc from 'fast-check';
import { Problem } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { listAnswer, readSome, recordAnswer } from './list-answers.ts';

interface Item {
  readonly at: number;
}
const itemsTo = (count: number): Item[] => Array.from({ length: count }, (_, at) => ({ at }));

/** An API with this many items, which returns a hundred at once and refuses answers of more than `most`. */
function api(count: number, most = 100) {
  return async ({ limit, offset }: { readonly limit: number; readonly offset: number }) => {
    expect(limit).toBeLessThanOrEqual(100);
    if (limit > most) throw new Problem('too_large', 'The answer is too large.');
    return itemsTo(count).slice(offset, offset + limit);
  };
}

test('when items are asked for, then so many come, up to a hundred, and whether there are more', async () => {
  const upTo = (max: number) => fc.integer({ min: 0, max });
  await fc.assert(
    fc.asyncProperty(upTo(210), upTo(130), upTo(220), async (count, limit, offset) => {
      const asked = { limit: limit + 1, offset };
      const { items, has_more } = await readSome(api(count), asked);
      const all = itemsTo(count).slice(offset, offset + Math.min(asked.limit, 100));
      expect(items).toEqual(all);
      expect(has_more).toBe(offset + all.length < count && all.length > 0);
    }),
  );
});

test.each([
  [100, 30, 20],
  [30, 10, 6],
  [5, 2, 1],
  [5, 1, 1],
])(
  'when %i items are asked for and an answer of more than %i is too large, then %i are read',
  async (limit, most, read) => {
    const { items, has_more } = await readSome(api(200, most), { limit, offset: 3 });
    expect(items.map(({ at }) => at)).toEqual(itemsTo(read).map(({ at }) => at + 3));
    expect(has_more).toBe(true);
  },
);

test('when one item alone is too large, or the answer is no list of records, then it is an error', async () => {
  await expect(readSome(api(5, 0), { limit: 5, offset: 0 })).rejects.toMatchObject({ kind: 'too_large' });
  for (const answer of [{}, null, 'text', [1], [null], [[]]])
    await expect(
      readSome(async () => answer as readonly object[], { limit: 5, offset: 0 }),
    ).rejects.toMatchObject({ code: 'upstream_error' });
});

const numbers = (size: number) => ({ numbers: Array.from({ length: size }, () => 1) });

test.each<[string, readonly object[], boolean, object]>([
  ['none', [], false, { things: [], has_more: false }],
  ['all that there are', [{ a: 1 }], false, { things: [{ a: 1 }], has_more: false }],
  ['all that were read', [{ a: 1 }], true, { things: [{ a: 1 }], has_more: true, next_offset: 8 }],
  [
    'those that fit',
    [numbers(8000), numbers(3000), numbers(9000)],
    false,
    {
      things: [numbers(8000), numbers(3000)],
      has_more: true,
      next_offset: 9,
      _truncated: true,
      _truncated_message: 'Only the first 2 of 3 fit. Call again with offset 9 for the others.',
    },
  ],
  [
    'none, and goes on, where the first does not fit',
    [numbers(14_000), { a: 1 }],
    false,
    {
      things: [],
      has_more: true,
      next_offset: 8,
      _truncated: true,
      _truncated_message: expect.stringMatching(/offset 8/) as string,
      _truncated_preview: expect.stringMatching(/^\[\{"numbers":\[1,1/) as string,
    },
  ],
])('when a list is answered, then it shows %s', async (_what, items, has_more, says) => {
  const answer = await listAnswer({ key: 'things', items, has_more, offset: 7 });
  expect(answer).toMatchObject(says);
  expect('next_offset' in answer).toBe(answer['has_more']);
  expect(JSON.stringify(answer).length).toBeLessThanOrEqual(25_000);
});

test('when a list is cut anywhere, then it is no longer than asked for and says where it goes on', async () => {
  const item = fc.record({
    text: fc.tuple(fc.string(), fc.integer({ min: 1, max: 200 })).map(([text, times]) => text.repeat(times)),
    numbers: fc.integer({ min: 0, max: 600 }).map(numbers),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { maxLength: 40 }),
      fc.boolean(),
      fc.maxSafeNat(),
      fc.integer({ min: 1000, max: 3000 }),
      async (items, has_more, offset, max_chars_per_page) => {
        const more = (total_count: number) => ({ total_count });
        const list = { key: 'things', items, has_more, offset, max_chars_per_page, more };
        const answer = await listAnswer(list);
        expect(JSON.stringify(answer).length).toBeLessThanOrEqual(max_chars_per_page);
        const shown = (answer['things'] as unknown[]).length;
        const goes_on = has_more || shown < items.length - (shown === 0 ? 1 : 0);
        expect(answer['has_more']).toBe(goes_on);
        expect(answer['total_count']).toBe(shown);
        const passed = shown === 0 && items.length > 0 ? 1 : shown;
        expect(answer['next_offset']).toBe(goes_on ? offset + passed : undefined);
      },
    ),
  );
});

test('when something surrounds a record, then that counts as well', async () => {
  const more = { next: ['x'.repeat(300)] };
  for (const thing of [{ a: 'b' }, { a: 'b'.repeat(40_000) }, { a: 'b'.repeat(24_800) }]) {
    const answer = await recordAnswer(thing, { key: 'thing', more });
    expect(answer).toMatchObject(more);
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(25_000);
  }
});

test.each<[string, object, object, number]>([
  ['whole', { a: 'b' }, { thing: { a: 'b' } }, 0],
  ['with its texts cut as little as it takes', { a: 'b'.repeat(40_000) }, { truncated_fields: 1 }, 1],
  [
    'by its beginning',
    numbers(14_000),
    { _truncated: true, _truncated_preview: expect.any(String) as string },
    1,
  ],
])('when a record is answered, then it is shown %s', async (_how, record, says, cuts) => {
  let cut = 0;
  const onCut = () => {
    cut += 1;
  };
  const answer = await recordAnswer(record, { key: 'thing', onCut });
  expect(answer).toMatchObject(says);
  expect(cut).toBe(cuts);
  const length = JSON.stringify(answer).length;
  expect(length).toBeLessThanOrEqual(25_000);
  expect(length > 24_000).toBe(cuts > 0);
});
