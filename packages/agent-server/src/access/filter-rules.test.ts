import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshDatabase, useFixture } from '@roadstead/testing';
import type { MetadataFilters } from './caller.ts';
import { containmentOf, itemFields, matchesFilters } from './filter-rules.ts';

const fresh = useFixture(freshDatabase);

test.each([
  [{ owner: 'a' }, { owner: 'a' }, true],
  [{ owner: 'a' }, { owner: ['a'] }, false],
  [{ owner: ['a'] }, { owner: 'a' }, false],
  [{ owner: 'a' }, { owner: { $eq: '' } }, false],
  [{ owner: '' }, { owner: { $eq: '' } }, true],
  [{ owner: 0 }, { owner: { $eq: false } }, false],
  [{}, { owner: 'a' }, false],
  [{ toString: 'a' }, { owner: 'a' }, false],
  [{ team: ['a', 'b'] }, { team: { $contains: 'b' } }, true],
  [{ team: ['a', 'b'] }, { team: { $contains: ['a', 'b'] } }, true],
  [{ team: ['a', 'b'] }, { team: { $contains: ['a', 'c'] } }, false],
  [{ team: 'ab' }, { team: { $contains: 'a' } }, false],
  [{ owner: 'a', team: ['b'] }, { owner: 'a', team: { $contains: 'b' } }, true],
  [{ owner: 'a' }, {}, true],
  [{}, null, true],
] as const)(
  'when the metadata is %j and the filter %j, then they match: %s',
  (metadata, filters, expected) => {
    expect(matchesFilters(metadata, filters as MetadataFilters | null)).toBe(expected);
  },
);

test('when an item is filtered, then it is seen by its value, its namespace and its key', () => {
  const fields = itemFields({ namespace: ['alice'], key: 'k', value: { owner: 'alice', key: 'forged' } });
  expect(fields).toEqual({ owner: 'alice', namespace: ['alice'], key: 'k' });
});

test('when metadata and filters hold anything, then Postgres finds what matches here', async () => {
  const scalar = fc.oneof(
    fc.constantFrom('a', 'b', ''),
    fc.constantFrom(0, 1, -1.5),
    fc.boolean(),
    fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
  );
  const field = fc.constantFrom('owner', 'team', 'toString', 'a.b');
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.constant(null),
    fc.constant({ a: 'a' }),
  );
  const filter = fc.oneof(
    scalar,
    scalar.map((one) => ({ $eq: one })),
    fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })).map((one) => ({ $contains: one })),
  );
  const pair = fc.tuple(
    fc.dictionary(field, value, { noNullPrototype: true }),
    fc.dictionary(field, filter, { noNullPrototype: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { minLength: 20, maxLength: 40 }), async (pairs) => {
      const rows = pairs.map(([metadata, filters]) => [metadata, containmentOf(filters)]);
      const found = await fresh().db.query<{ matches: boolean }>(
        `select (pair -> 0) @> (pair -> 1) as matches
           from jsonb_array_elements($1::jsonb) with ordinality as pairs (pair, n) order by n`,
        [JSON.stringify(rows)],
      );
      expect(found.map(({ matches }) => matches)).toEqual(
        pairs.map(([metadata, filters]) => matchesFilters(metadata, filters)),
      );
    }),
    { numRuns: 50 },
  );
});
