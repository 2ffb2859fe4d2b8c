import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HeldBodies, Problem } from '@roadstead/kit';
import { longestHold } from '@roadstead/testing';
import { checkJson, parseJson } from './parse-json.ts';
import { jsonParts } from './testing/json-parts.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
/** Small, so that even a short text is cut wherever possible. */
const tiny = { piece_bytes: 1, part_bytes: 25 };

const keys = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('__proto__', '1', '0', 'a', 'constructor'),
);
const { value: anyJson } = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, '\\', '"', '\\"', ',', '\u{1f600}\u{1f600}\u{1f600}', '[]{}'),
    fc.array(again('value')),
    fc.array(fc.tuple(keys, again('value'))).map((entries) => Object.fromEntries(entries)),
  ),
}));

describe('gives what JSON.parse gives', () => {
  test('when a value is indented and cut in any way, then it is parsed as by JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyJson,
        fc.nat(3),
        fc.integer({ min: 1, max: 40 }),
        async (value, indent, piece_bytes) => {
          const text = JSON.stringify(value, null, indent);
          const got = await parseJson(bytesOf(text), { piece_bytes, part_bytes: 25 });
          expect(isDeepStrictEqual(got, JSON.parse(text)), text).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('when a text has a wrong byte, then it is parsed or refused as by JSON.parse', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...jsonParts), { maxLength: 12 }), async (sent) => {
        expect(await isSame(sent.join(''))).toBe(true);
      }),
      { numRuns: 3000 },
    );
    await fc.assert(
      fc.asyncProperty(anyJson, fc.nat(), fc.constantFrom(...jsonParts, ''), async (value, where, part) => {
        const text = JSON.stringify(value);
        const at = where % (text.length + 1);
        expect(await isSame(text.slice(0, at) + part + text.slice(at))).toBe(true);
        expect(await isSame(text.slice(0, at) + part + text.slice(at + 1))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('when a key stands twice or would replace the prototype, then JSON.parse would do the same', async () => {
    expect(await isSame('{"a":[1,2,3],"b":2,"a":{"c":[4,5]},"__proto__":{"x":[1,2]},"7":0}')).toBe(true);
    expect(Object.keys((await parseJson(bytesOf('{"__proto__":{"a":1,"b":2}}'), tiny)) as object)).toEqual([
      '__proto__',
    ]);
  });

  test('when a byte order mark leads, then it is skipped, and bytes that are no UTF-8 are refused', async () => {
    expect(await parseJson(bytesOf('\ufeff{"a":1}'))).toEqual({ a: 1 });
    for (const bytes of [[0x22, 0xff, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], Array<number>(40).fill(0x80)])
      await expect(parseJson(new Uint8Array(bytes), tiny)).rejects.toMatchObject({ kind: 'malformed' });
    const long = new Uint8Array(3_000_000).fill(0x80);
    long[0] = long[long.length - 1] = 0x22;
    await expect(parseJson(long)).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('when strings of any characters have megabytes, then they are parsed whole', async () => {
    for (const unit of ['a', 'é', '😀', '\n', '\\', '"', '\u0001', '\ud83d'])
      for (const shift of ['', 'x', 'xyz']) {
        const value = { key: shift + unit.repeat(1_100_000), next: [1] };
        expect((await parseJson(bytesOf(JSON.stringify(value)))) as object).toEqual(value);
      }
  });
});

describe('refuses before it parses', () => {
  test.each([
    ['depth', '['.repeat(4) + ']'.repeat(4), { max_depth: 3 }, '[[[]]]'],
    ['depth of objects', '{"a":{"a":{}}}', { max_depth: 2 }, '{"a":{}}'],
    ['values', '[1,[],{"a":"b"},2]', { max_values: 5 }, '[1,[ ],{"a":2}]'],
    ['keys', '{"a":1,"b":{"c":","}}', { max_keys: 2 }, '{"a":1,"b":":::"}'],
    ['bytes', '"12345"', { max_bytes: 6 }, '"1234"'],
  ])('when a body has %s, then its limits hold', async (_what, above, limits, below) => {
    await expect(parseJson(bytesOf(above), limits)).rejects.toMatchObject({ kind: 'too_large' });
    await expect(checkJson(bytesOf(above), limits)).rejects.toMatchObject({ kind: 'too_large' });
    expect(await parseJson(bytesOf(below), limits)).toEqual(JSON.parse(below));
    await checkJson(bytesOf(below), limits);
  });

  test('when a text is refused or there is no room for it, then nothing is made of it', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const text = bytesOf(`[${'[],'.repeat(100_000)}1]`);
    await expect(parseJson(text, { max_values: 100_001 })).rejects.toMatchObject({ kind: 'too_large' });
    const budget = new HeldBodies(5_000_000);
    using other = budget.open('a');
    other.take(400_000);
    using held = budget.open('a');
    await expect(parseJson(text, { held })).rejects.toMatchObject({ kind: 'limit' });
    expect(parse.mock.calls.filter(([json]) => json.includes('[],'))).toEqual([]);
    expect(await parseJson(text, { held: budget.open('b') })).toHaveLength(100_001);
  });

  test('when a value is at its limits, then it passes, and one less refuses it', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson, async (value) => {
        const counts = { depth: 0, values: 0, keys: 0 };
        count(value, 0, counts);
        const text = bytesOf(JSON.stringify(value));
        await checkJson(text, { max_depth: counts.depth, max_values: counts.values, max_keys: counts.keys });
        const limits = [
          { max_values: counts.values - 1 },
          ...(counts.depth > 0 ? [{ max_depth: counts.depth - 1 }] : []),
          ...(counts.keys > 0 ? [{ max_keys: counts.keys - 1 }] : []),
        ];
        for (const limit of limits)
          await expect(checkJson(text, limit)).rejects.toMatchObject({ kind: 'too_large' });
      }),
    );
  });
});

const MB = 1_048_576;
const listOf = (item: string, bytes: number) =>
  Buffer.from(`[${`${item},`.repeat(bytes / (item.length + 1))}1]`);

describe('no body holds the event loop', () => {
  test.each<[string, () => Uint8Array, 'parsed' | 'too_large' | 'malformed']>([
    ['64 MB of brackets, which a gzip of 97 kB can hold', () => Buffer.alloc(64 * MB, '['), 'too_large'],
    ['22 MB of empty lists', () => listOf('[]', 22 * MB), 'too_large'],
    ['as many values as there may be', () => listOf('[]', 5.9e6), 'parsed'],
    [
      '24 MB with 800,000 keys',
      () =>
        Buffer.from(`{${Array.from({ length: 800_000 }, (_, i) => `"key${i}":"${'v'.repeat(16)}"`).join()}}`),
      'too_large',
    ],
    [
      'as many keys as there may be',
      () =>
        Buffer.from(
          `{${Array.from({ length: 100_000 }, (_, i) => `"key${i}":"${'v'.repeat(200)}"`).join()}}`,
        ),
      'parsed',
    ],
    [
      'objects of as many shapes',
      () => Buffer.from(`[${Array.from({ length: 100_000 }, (_, i) => `{"key${i}":${i}}`).join()}]`),
      'parsed',
    ],
    ['a string of 60 MB', () => Buffer.from(`["${'a'.repeat(60 * MB)}"]`), 'parsed'],
    ['a string of 10 million escapes', () => Buffer.from(`["${'\\u00e9'.repeat(10_000_000)}"]`), 'parsed'],
    ['a string of 30 million quotes', () => Buffer.from(`["${'\\"'.repeat(30_000_000)}"]`), 'parsed'],
    ['a string of 30 million backslashes', () => Buffer.from(`["${'\\\\'.repeat(30_000_000)}"]`), 'parsed'],
    ['60 MB of space', () => Buffer.alloc(60 * MB, ' '), 'too_large'],
    ['60 MB of one number', () => Buffer.alloc(60 * MB, '1'), 'too_large'],
    [
      '60 MB of what is not UTF-8',
      () => Buffer.concat([Buffer.from('["'), Buffer.alloc(60 * MB, 0x80), Buffer.from('"]')]),
      'malformed',
    ],
  ])('when a body has %s, then its limits hold', async (_what, make, end) => {
    const body = make();
    let got = 'parsed';
    const held_ms = await longestHold(async () =>
      parseJson(body).catch((error: { kind: string }) => (got = error.kind)),
    );
    expect(got).toBe(end);
    expect(held_ms).toBeLessThan(MOST_MS);
  });

  test('when many bodies come at once, then they do not hold the event loop either', async () => {
    const body = listOf('[]', 300_000);
    expect(
      await longestHold(async () => Promise.all(Array.from({ length: 12 }, () => parseJson(body)))),
    ).toBeLessThan(MOST_MS);
  });
});

/** The target is 50; the rest is for slow machines. */
const MOST_MS = 100;

/** Whether we parse a text like JSON.parse does, or refuse it as well. */
/** A key may be too long for the tiny parts; being refused for its length proves nothing about the text. */
async function isSame(text: string): Promise<boolean> {
  const bytes = bytesOf(text);
  const got = await parseJson(bytes, tiny).then(
    (value) => ({ value }),
    (error: unknown) => (error instanceof Problem && error.kind === 'too_large' ? 'too long' : 'refused'),
  );
  if (got === 'too long') return true;
  try {
    return isDeepStrictEqual(got, { value: JSON.parse(new TextDecoder().decode(bytes)) as unknown });
  } catch {
    return got === 'refused';
  }
}

function count(value: unknown, depth: number, counts: { depth: number; values: number; keys: number }): void {
  counts.values += 1;
  if (typeof value !== 'object' || value === null) return;
  counts.depth = Math.max(counts.depth, depth + 1);
  if (!Array.isArray(value)) counts.keys += Object.keys(value).length;
  for (const item of Object.values(value)) count(item, depth + 1, counts);
}
