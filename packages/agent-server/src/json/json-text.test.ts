import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalDigest,
  canonicalText,
  isLarge,
  keepText,
  keptText,
  listParameter,
  readJson,
  toJson,
  writeJson,
} from './json-text.ts';

/** Larger than what is written at once, around any value. */
const padding = 'x'.repeat(262_144);

const large = async (value: unknown) => {
  const written = await writeJson(value);
  if (typeof written === 'string') throw new Error('It was not large.');
  return Buffer.concat(written).toString();
};

describe('a large value', () => {
  test('when a large value is written, then it is as a small one is', async () => {
    const unit = fc.constantFrom('\ud83d', '\ude00', '\\', 'u', 'd', '8', '\0', 'a', '"', '\n', 'ä');
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string({ unit }), async (value, said) => {
        for (const one of [{ padding, value }, [value, padding], { [said]: `${padding}${said}`.repeat(2) }]) {
          expect(JSON.parse(await large(one))).toEqual(JSON.parse(toJson(one)));
        }
      }),
      { numRuns: 50 },
    );
  });

  test('when a large value is cut, then no surrogate pair is', async () => {
    for (const before of ['', 'a']) {
      const text = before + '😀'.repeat(200_000);
      expect(JSON.parse(await large(text))).toBe(text);
    }
  });

  test('when a field is undefined, then it is left out', async () => {
    expect(JSON.parse(await large({ a: undefined, padding, b: [undefined] }))).toEqual({
      padding,
      b: [null],
    });
    expect(await writeJson({ padding: undefined })).toBe('{}');
  });

  test('when a large value is read, then it is as it was', async () => {
    const value = { padding, list: [1, { a: [] }, null, '😀'] };
    expect(await readJson(toJson(value))).toEqual(value);
    expect(await readJson('{"a":1}')).toEqual({ a: 1 });
  });
});

test('when a large value is deep, then writing it takes little longer than if it were flat', async () => {
  const list = Array.from({ length: 200_000 }, () => 0);
  const deep = Array.from({ length: 600 }).reduce<unknown>((value) => [value], list);
  const took = async (value: unknown) => {
    const before = performance.now();
    await writeJson(value);
    return performance.now() - before;
  };
  await took(list);
  const flat = await took(list);
  // Some fifty times as long where each level passes on all pieces below it.
  expect(await took(deep)).toBeLessThan(20 * flat + 500);
});

test('when keys come in any order, then the canonical text and its digest are the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      expect(JSON.parse(canonicalText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalText(turned(value))).toBe(canonicalText(value));
      for (const one of [value, { value, padding }]) {
        const digest = createHash('sha256').update(canonicalText(one)).digest('hex');
        expect(await canonicalDigest(turned(one))).toBe(digest);
      }
    }),
    { numRuns: 50 },
  );
});

test('when a value is large, then that is known without looking at all of it', () => {
  expect(isLarge({ a: padding })).toBe(true);
  expect(isLarge(Array.from({ length: 40_000 }, () => 0))).toBe(true);
  expect(isLarge({ a: [1, 'text', null, { b: true }] })).toBe(false);
});

/** The same value with the keys of every object in the opposite order. */
function turned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(turned);
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, turned(inner)]),
  );
}

test('when a text is kept, then it is the one that would be written, up to its last value', () => {
  const last = { about: 'half \ud83d a pair' };
  keepText(last);
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.boolean(), (before, has_last) => {
      const value = has_last ? [...before, undefined, last] : before;
      expect(keptText(value)).toBeUndefined();
      keepText(value);
      expect(keptText(value)).toBe(toJson(value));
    }),
  );
  for (const one of [padding, { padding }, [padding, last], null, 1, undefined]) {
    keepText(one);
    expect(keptText(one)).toBeUndefined();
  }
});

test('when a list of texts is a parameter, then it is one, in pieces where it is large', async () => {
  const texts = ['{"a":1}', JSON.stringify('ä'), 'null'];
  expect(await listParameter(texts)).toBe(`[${texts.join()}]`);
  const large_text = JSON.stringify(`${'😀'.repeat(100_000)}${padding}`);
  const written = await listParameter([...texts, large_text]);
  if (typeof written === 'string') throw new Error('It was not large.');
  expect(Buffer.concat(written.pieces).toString()).toBe(`[${[...texts, large_text].join()}]`);
});
