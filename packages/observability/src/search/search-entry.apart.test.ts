import { TimeSlice } from '@roadstead/kit';
import { freshDatabase, longestHold, useFixture } from '@roadstead/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnText } from '../values/column-text-rules.ts';
import { type SearchEntry, searchEntryOf } from './search-entry.ts';
import { bucketOf, bucketsBetween, type EntryFamily, entryText, termOf } from './term-rules.ts';
import { searchedWords, wordQueryText, wordsOfValue } from './word-query-rules.ts';
import { Words, wordsIn } from './word-rules.ts';

const fresh = useFixture(() => freshDatabase('search'));

const ID = '01a21495-d5f8-7b98-b6ce-d4262f984b58';

const row = {
  session_id: '0199d3a0-0000-7000-8000-00000000000b',
  name: 'router',
  run_type: 'chain',
  thread_id: null,
  tags: ['blue', 'v2'],
  is_root: true,
  has_error: false,
  error_preview: null,
  parent_run_id: null,
  dotted_order: '20260101T000000000000Za.20260101T000000000000Zb',
  start_time: '2026-01-01T00:00:00.000000+00:00',
  end_time: '2026-01-01T00:00:03.000000+00:00',
};

function entryOf(payloads: Readonly<Record<string, unknown>>): Promise<SearchEntry> {
  const texts = Object.entries(payloads).map(([kind, value]) => [kind, Buffer.from(JSON.stringify(value))]);
  return searchEntryOf({ row, payloads: Object.fromEntries(texts) }, new TimeSlice());
}

describe('terms', () => {
  test('when a term is computed, then it is what it always was, since terms are stored', () => {
    expect([termOf('tag', 'blue'), termOf('metadata_entry', 'a', 'b'), termOf('name', 'é😀')]).toEqual([
      8510607059470272, 6969860895926925, 4440943763786732,
    ]);
  });

  test('when kinds, parts or orders differ, then the terms do, and they are safe integers', () => {
    const terms = new Set<number>();
    for (let index = 0; index < 100_000; index += 1) {
      terms.add(termOf('metadata_entry', `key${index % 100}`, `${index}`));
      terms.add(termOf('metadata_key', `${index}`));
    }
    expect(terms.size).toBe(200_000);
    expect([...terms].every(Number.isSafeInteger)).toBe(true);
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(termOf('tag', ...one) === termOf('tag', ...other)).toBe(same);
      }),
    );
  });

  test('when a value is in a range, then it is in one of the buckets of that range', () => {
    const ms = fc.double({ min: 0, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(ms, ms, ms, (...three) => {
        const [low = 0, value = 0, high = 0] = three.toSorted((a, b) => a - b);
        expect(bucketsBetween(low, high)).toContain(bucketOf(value));
      }),
    );
  });
});

describe('entries', () => {
  test('when a payload is read, then its scalars are entries under dotted names without places', async () => {
    const { metadata, io, terms } = await entryOf({
      extra: { metadata: { tenant: 'acme', n: 1.5, on: true, none: null, a: { b: { c: [1, '2'] } }, e: {} } },
      inputs: { documents: [{ page_content: 'one' }, { page_content: 'two' }, { page_content: 'one' }] },
      outputs: ['x', { y: 'z' }],
    });
    expect(metadata).toEqual({
      tenant: 'acme',
      n: '1.5',
      on: 'true',
      none: 'null',
      'a.b.c': ['1', '2'],
      ls_run_depth: '1',
    });
    expect(io).toEqual({
      inputs: { 'documents.page_content': ['one', 'two'] },
      outputs: { '': 'x', y: 'z' },
    });
    for (const key of ['tenant', 'a', 'a.b', 'a.b.c', 'e'])
      expect(terms).toContain(termOf('metadata_key', key));
    for (const term of [
      termOf('metadata_entry', 'a.b.c', '2'),
      termOf('input_key', 'documents'),
      termOf('output_entry', '', 'x'),
      termOf('tag', 'blue'),
      termOf('project', row.session_id),
      termOf('latency', String(bucketOf(3000))),
    ])
      expect(terms).toContain(term);
    expect(terms.length).toBe(new Set(terms).size);
  });

  test('when the client says the depth, then that counts', async () => {
    expect((await entryOf({ extra: { metadata: { ls_run_depth: 7 } } })).metadata).toEqual({
      ls_run_depth: '7',
    });
  });

  test('when values are long, then they are cut and still told apart, and columns take them', async () => {
    const long = 'é'.repeat(5000);
    const { metadata } = await entryOf({
      extra: { metadata: { one: `${long}1`, two: `${long}2`, 'a\u0000b': '\ud800\u0000' } },
    });
    expect(metadata['one']).not.toBe(metadata['two']);
    expect(metadata['one']).toBe(entryText(`${long}1`));
    await fresh().db.query('select $1::jsonb', [JSON.stringify(metadata)]);
  });

  test('when a payload is no object or no JSON, then that is no fault', async () => {
    for (const json of ['', '{', '"text', '7', '[]', 'NaN', '{"a":NaN}']) {
      const payloads = { inputs: Buffer.from(json), extra: Buffer.from(json) };
      const entry = await searchEntryOf({ row, payloads }, new TimeSlice());
      expect(entry.terms).toContain(termOf('name', 'router'));
    }
  });
});

/** The terms of a JSON value, computed without anything remembered. */
function termsIn(family: EntryFamily, json: unknown): Set<number> {
  const terms = new Set<number>();
  const walk = (value: unknown, path: string) => {
    if (Array.isArray(value)) return value.forEach((inner) => walk(inner, path));
    if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        const below = path === '' ? name : `${path}.${name}`;
        terms.add(termOf(`${family}_key`, columnText(below, 1000)));
        walk(inner, below);
      }
      return undefined;
    }
    const key = columnText(path, 1000);
    const text = columnText(entryText(String(value)));
    terms.add(termOf(`${family}_key`, key));
    terms.add(termOf(`${family}_entry`, key, text));
    return undefined;
  };
  walk(json, '');
  return terms;
}

describe('what is remembered of other runs', () => {
  // V8 13.6 reads a key of one escaped character as `\` once it has read that key at the same place.
  const name = fc.oneof(
    fc.constantFrom('', 'a', 'b', 'a.b', 'a\u0000', 'half \ud800', 'x'.repeat(200)),
    fc.string(),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('one', 'ONE', 'b\u0000', 'é'.repeat(1200), ID, 1, null),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 5 }),
    ),
  }));

  test('when other runs are remembered, then an entry is the same', async () => {
    await fc.assert(
      fc.asyncProperty(value, value, async (one, other) => {
        const payloads = { extra: { metadata: one }, inputs: one, outputs: other };
        const entry = await entryOf(payloads);
        expect(await entryOf(payloads)).toEqual(entry);
        const parts = [termsIn('metadata', one), termsIn('input', one), termsIn('output', other)];
        const column_terms = new Set((await entryOf({})).terms);
        expect(new Set(entry.terms)).toEqual(
          new Set([...column_terms, ...parts.flatMap((part) => [...part])]),
        );
      }),
    );
  });

  test('when there are very many values, then what is remembered of them changes no entry', async () => {
    for (let index = 0; index < 10_000; index += 1) {
      const metadata = { [`key ${index}`]: `value ${index}`, same: 'same' };
      const { terms, words } = await entryOf({ extra: { metadata } });
      expect(terms).toEqual(expect.arrayContaining([...termsIn('metadata', metadata)]));
      expect(words.has(searchedWords(`value ${index} same`), 'metadata')).toBe(true);
    }
  });
});

describe('words', () => {
  test('when text is cut into words, then it is where no letter or digit stands, in any script', () => {
    expect(wordsIn('Invoice #42: get_weather(“Zürich”), ﬁne 東京都 naïve x')).toEqual(
      'invoice 42 get weather zürich fine 東 京 都 naïve x'.split(' '),
    );
  });

  test('when words are searched, then every field finds them, by their beginnings in any order', async () => {
    const { words } = await entryOf({
      extra: { metadata: { tenant: 'Acme Corp' } },
      inputs: { messages: [{ content: 'Pay invoice 4200' }] },
      outputs: { text: 'done' },
      error: 'ValueError: overdrawn',
    });
    const found = (text: string, field?: Parameters<Words['has']>[1]) =>
      words.has(searchedWords(text), field);
    expect(['router', 'blue', 'corp acme', '42 inv', 'done', 'overdrawn'].filter((t) => !found(t))).toEqual(
      [],
    );
    expect([found('invoice paid'), found('voice')]).toEqual([false, false]);
    expect([found('invoice', 'inputs'), found('invoice', 'outputs'), found('done', 'outputs')]).toEqual([
      true,
      false,
      true,
    ]);
    expect([
      found('rout', 'name'),
      found('blue', 'name'),
      found('blue', 'tags'),
      found('over', 'error'),
    ]).toEqual([true, false, true, true]);
  });

  test('when any text is searched, then Postgres finds what we find', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc
        .array(
          fc.constantFrom(
            'ab',
            'abc',
            "it's",
            'a\\b',
            '東',
            'x:y',
            '&|!',
            "''",
            ' ',
            '-',
            '01a21495-d5f8',
            ID,
          ),
          { maxLength: 8 },
        )
        .map((parts) => parts.join('')),
    );
    const field = fc.constantFrom(undefined, 'name', 'inputs', 'outputs', 'metadata', 'tags', 'error');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('name', 'tags', 'error', 'metadata', 'inputs', 'outputs'), text)),
        text,
        field,
        async (texts, query, where) => {
          const words = new Words();
          for (const [name, value] of texts) words.add(name, value);
          const asked = searchedWords(query);
          const sql = wordQueryText(asked, { field: where });
          if (sql === undefined) return;
          const { found } = await fresh().db.one<{ found: boolean }>(
            'select $1::text::tsvector @@ $2::text::tsquery as found',
            [String(words), sql],
          );
          expect(found).toBe(words.has(asked, where));
        },
      ),
      { numRuns: 300 },
    );
  });

  test('when a text is a file, then it has no words, and a long one no more than fit in a row', async () => {
    const words = new Words();
    words.add('inputs', 'QUJD'.repeat(1000));
    expect(String(words)).toBe('');
    for (let index = 0; index < 5000; index += 1)
      words.add('inputs', `${'\u{1d400}'.repeat(40)}${index} w${index}`);
    expect(words.takes('inputs')).toBe(false);
    await fresh().db.query('select $1::text::tsvector', [String(words)]);
  });
});

test('when a value is an entry, then its words find it, however many stand before it', async () => {
  const many = (at: number) => Array.from({ length: 2500 }, (_, word) => `w${at}x${word}`).join(' ');
  const inputs = { texts: [many(0), many(1)], tenant: 'acme corp' };
  const { io, words } = await entryOf({
    inputs,
    extra: { metadata: { texts: [many(2), many(3), many(4)], last: 'here' } },
  });
  expect(io.inputs['tenant']).toBe('acme corp');
  expect(words.has(wordsOfValue('acme corp'), 'inputs')).toBe(true);
  expect(words.has(wordsOfValue('here'), 'metadata')).toBe(true);
  expect(words.has(wordsOfValue('1'), 'metadata')).toBe(true);
});

test('when a value would make a row too large for the database, then it is no entry', async () => {
  let next = 0;
  // Each folded piece has three words, and its middle one is in no other piece.
  const piece = () => `${String.fromCodePoint(0xa000 + (next % 1100), 0x1200 + Math.floor(next++ / 1100))}ﷺ`;
  const values = (count: number) =>
    Array.from({ length: count }, () => Array.from({ length: 333 }, piece).join(''));
  const tags = Array.from({ length: 500 }, (_, at) => `${at}${'ꀀ'.repeat(60)} ${'ꀁ'.repeat(55)}${at}`);
  const payloads = {
    extra: Buffer.from(JSON.stringify({ metadata: { values: values(66) } })),
    inputs: Buffer.from(JSON.stringify(values(17))),
    outputs: Buffer.from(JSON.stringify(values(17))),
  };
  const { words, metadata, io } = await searchEntryOf({ row: { ...row, tags }, payloads }, new TimeSlice());
  await fresh().db.query('select $1::text::tsvector', [String(words)]);
  for (const [field, entries] of [
    ['metadata', metadata['values']],
    ['inputs', io.inputs['']],
    ['outputs', io.outputs['']],
  ] as const)
    for (const value of [entries ?? []].flat()) expect(words.has(wordsOfValue(value), field)).toBe(true);
});

test.each([
  ['20 MB of one text', () => ({ text: 'word '.repeat(4_000_000), question: 'here' })],
  [
    '20 MB of an image below a message',
    () => ({ messages: [{ content: [{ image: 'QUJD'.repeat(5_000_000) }, { question: 'here' }] }] }),
  ],
  [
    '300,000 small values',
    () => ({ question: 'here', list: Array.from({ length: 300_000 }, (_, i) => ({ [`k${i % 500}`]: i })) }),
  ],
  ['many megabytes of escapes', () => ({ text: '\n\u0001"\\'.repeat(1_000_000), question: 'here' })],
])('when a payload is %s, then it does not hold the event loop', async (_what, make) => {
  const json = Buffer.from(JSON.stringify(make()));
  let entry: SearchEntry | undefined;
  const held_ms = await longestHold(async () => {
    entry = await searchEntryOf({ row, payloads: { inputs: json, outputs: json } }, new TimeSlice());
  });
  expect(entry?.words.has(searchedWords('here'), 'inputs')).toBe(true);
  // The bound is 50 ms; the rest is for slow machines.
  expect(held_ms).toBeLessThan(100);
});
