import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementsAtOnce, membersAtOnce } from './json-slices.ts';
import { continueString, type StringEnd, stringEnd } from './json-tokens.ts';
import { checkJson } from './parse-json.ts';
import { jsonParts } from './testing/json-parts.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** The end of the string, and how often its search paused. */
function searched(json: Uint8Array, from: number) {
  let end: StringEnd = stringEnd(json, from);
  let pauses = 0;
  for (; typeof end === 'object'; pauses += 1) end = continueString(json, end);
  return { end, pauses };
}

const unit = fc.constantFrom('\\', '"', '\\"', 'é', '😀', '\n', '\u0001', '[]{},:', 'a'.repeat(70));
const short = fc.string({ unit });

test('when a string is written as JSON, then it ends behind its last quote, and nowhere when cut', () => {
  fc.assert(
    fc.property(short, short, fc.nat(), (before, text, cut) => {
      const json = bytesOf(`${JSON.stringify(before)}${JSON.stringify(text)},"more"`);
      const from = bytesOf(JSON.stringify(before)).length;
      const end = from + bytesOf(JSON.stringify(text)).length;
      expect(searched(json, from).end).toBe(end);
      expect(searched(json.subarray(0, from + 1 + (cut % (end - from - 1))), from).end).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});

test('when the search pauses at any place of a string, then its end is found all the same', () => {
  const plain = 'a'.repeat(1_048_576 - 40);
  const escapes = '\\'.repeat(1_048_576 / 2 - 20);
  fc.assert(
    fc.property(fc.constantFrom(plain, escapes, ''), fc.nat(60), short, short, (long, shift, one, other) => {
      const json = bytesOf(`${JSON.stringify(long + 'b'.repeat(shift) + one + long + other)} "`);
      const { end, pauses } = searched(json, 0);
      expect(end).toBe(json.length - 2);
      expect(pauses > 0 || long === '').toBe(true);
    }),
    { numRuns: 20 },
  );
});

/** A value as JSON in any indentation, with something in its midst that may spoil it. */
const anyText = fc
  .tuple(fc.jsonValue(), fc.nat(2), fc.nat(), fc.constantFrom('', '', ...jsonParts), fc.nat(1))
  .map(([value, indent, where, part, dropped]) => {
    const text = JSON.stringify(value, null, indent);
    const at = where % (text.length + 1);
    return part === '' ? text : text.slice(0, at) + part + text.slice(at + dropped);
  });

test('when JSON.parse takes a text, then its spans hold what JSON.parse gives', async () => {
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const json = bytesOf(text);
      let value: unknown;
      try {
        value = JSON.parse(textOf(json));
        seen.taken += 1;
      } catch {
        seen.refused += 1;
        return;
      }
      expect(await checkJson(json)).toBeGreaterThan(0);
      const members = membersAtOnce(json);
      const elements = elementsAtOnce(json);
      expect(elements?.map((one) => JSON.parse(textOf(one)) as unknown)).toEqual(
        Array.isArray(value) ? value : undefined,
      );
      const is_object = typeof value === 'object' && value !== null && !Array.isArray(value);
      const found = members && [...members].map(([name, one]) => [name, JSON.parse(textOf(one)) as unknown]);
      expect(found && Object.fromEntries(found)).toEqual(is_object ? value : undefined);
    }),
    { numRuns: 3000 },
  );
  expect(seen.taken).toBeGreaterThan(500);
  expect(seen.refused).toBeGreaterThan(500);
});
