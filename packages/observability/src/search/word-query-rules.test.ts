import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshDatabase, useFixture } from '@roadstead/testing';
import { columnText } from '../values/column-text-rules.ts';
import { entryText } from './term-rules.ts';
import { searchedWords, wordQueryText, wordsOfPattern, wordsOfValue } from './word-query-rules.ts';
import { type WordAlternatives, Words, wordsIn } from './word-rules.ts';

const fresh = useFixture(() => freshDatabase('words'));

const ID = '01a21495-d5f8-7b98-b6ce-d4262f984b58';
const OTHER = '0199d3a0-0000-7000-8000-00000000000b';

function found(text: string, asked: readonly WordAlternatives[]): boolean {
  const words = new Words();
  words.add('inputs', text, true);
  return words.has(asked, 'inputs');
}

/** Texts with ids, pieces of ids, and similar texts. */
const piece = fc.oneof(
  fc.constantFrom(
    ID,
    OTHER,
    ID.toUpperCase(),
    ID.slice(0, 20),
    ID.slice(9),
    'dead-beef',
    '20260101-1200',
    'a',
    '0',
  ),
  fc.constantFrom(' ', '-', ':', '_', '.', '/', 'é', '東', ' invoice ', '4200', '2026-11-26'),
  // Texts that folding changes into another character, alone or with the text before them.
  fc.constantFrom('J\u030C', '\u0301', '™', '№', 'ﬁ', '\u{1e922}', 'İ', 'ﷺ', 'ΑΣ', '.Α', "'", ':', '。'),
  fc.string({ maxLength: 4 }),
);
const text = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));

describe('a uuid', () => {
  test('when a uuid stands anywhere, then it is one word', () => {
    expect(wordsIn(`a2a:0:${ID}, (${ID.toUpperCase()})`)).toEqual(['a2a', '0', ID, ID]);
    expect(wordsIn(`naïve ${ID}`)).toEqual(['naïve', ID]);
  });

  test('when a uuid is a part of something longer, then it is none', () => {
    expect(wordsIn(`x${ID}`)).toEqual(['x01a21495', 'd5f8', '7b98', 'b6ce', 'd4262f984b58']);
    expect(wordsIn(`${ID}0`)).toEqual(['01a21495', 'd5f8', '7b98', 'b6ce', 'd4262f984b580']);
    expect(wordsIn(`é ${ID}é`)).toEqual(['é', '01a21495', 'd5f8', '7b98', 'b6ce', 'd4262f984b58é']);
  });

  test.each([
    ID,
    ID.toUpperCase(),
    '01a2',
    '01a21495',
    '01a21495-',
    '01a21495-d5',
    ID.slice(0, 19),
    ID.slice(0, 30),
  ])('when %s is searched, then the uuid is found', (query) =>
    expect(found(`run ${ID} of`, searchedWords(query))).toBe(true),
  );

  test.each(['d5f8', '01a21495-d5f9', ID.slice(1), OTHER])(
    'when %s is searched, then the uuid is not found',
    (query) => expect(found(`run ${ID} of`, searchedWords(query))).toBe(false),
  );

  test.each([`${ID} ${ID.slice(0, 12)}`, `run-${ID}-0`, `${ID}-${OTHER}`])(
    'when %s was written as several words, then it is still found',
    async (asked) => {
      const before = `run-${ID}-0 ${OTHER}`.split(/[- ]/).map((word) => `'${word}'`);
      const { is_found } = await fresh().db.one<{ is_found: boolean }>(
        'select $1::text::tsvector @@ $2::text::tsquery as is_found',
        [before.join(' '), wordQueryText(searchedWords(asked), { field: undefined })],
      );
      expect(is_found).toBe(true);
    },
  );
});

test('when something looks like the beginning of a uuid and is none, then it is found', () => {
  expect(found('backup-20260101-1200.tar', searchedWords('20260101-12'))).toBe(true);
  expect(found('backup-20260101-1200.tar', searchedWords('20260101-13'))).toBe(false);
});

describe('no text is left out', () => {
  test('when a text has the words of a search in it, then it is not left out', () => {
    fc.assert(
      fc.property(text, text, text, (before, query, after) => {
        expect(found(`${before} ${query} ${after}`, searchedWords(query))).toBe(true);
      }),
    );
  });

  test('when a text is like a pattern, then it is not left out', () => {
    const cuts = fc.array(fc.tuple(fc.nat(60), fc.nat(20)), { maxLength: 3 });
    fc.assert(
      fc.property(text, cuts, (whole, places) => {
        let pattern = whole.replaceAll(/[%_\\]/g, '.');
        const source = pattern;
        for (const [at, length] of places.toSorted((a, b) => b[0] - a[0]))
          if (at <= pattern.length) pattern = `${pattern.slice(0, at)}%${pattern.slice(at + length)}`;
        expect([source, pattern, found(source, wordsOfPattern(pattern))]).toEqual([source, pattern, true]);
      }),
      { numRuns: 3000 },
    );
  });

  test('when a text is the value that is searched, then it is not left out', () => {
    const long = fc.tuple(fc.nat(12), text, text).map(([shift, before, after]) => {
      const tail = before === '' ? 'a' : before;
      return `${tail.repeat(1000).slice(0, 994 + shift)}${after} more`;
    });
    const value = fc.oneof(text, long, fc.constantFrom('null', 'QUJD'.repeat(400)));
    fc.assert(
      fc.property(value, (one) => {
        // The words as filters ask for them.
        const asked = wordsOfValue(columnText(entryText(one)));
        expect([one, found(one, asked)]).toEqual([one, true]);
      }),
      { numRuns: 3000 },
    );
    const sigma = `${'x '.repeat(495)}abcΑΣ.ΑΒΓΔΕΖΗΘΙΚ and more`;
    expect(found(sigma, wordsOfValue(entryText(sigma)))).toBe(true);
    expect(wordsOfValue('null')).toEqual([]);
    expect(wordsOfValue('QUJD'.repeat(400))).toEqual([]);
  });
});

test.each([
  [`%${ID}%`, [ID], [OTHER, `x ${OTHER}`]],
  [`run ${ID}`, [`run ${ID}`], [ID, `walk ${ID}`]],
  ['%2026-11-26T%', ['on 2026-11-26T10'], ['on 2025-10-25T10']],
  ['%an invoice-4%', ['an invoice-4'], ['an order-4']],
])('when the pattern is %s, then it asks for words that others have not', (pattern, like, unlike) => {
  const asked = wordsOfPattern(pattern);
  expect(like.filter((one) => !found(one, asked))).toEqual([]);
  expect(unlike.filter((one) => found(one, asked))).toEqual([]);
});
