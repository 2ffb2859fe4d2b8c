import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonObject, WellFormedText } from './well-formed-text.ts';

test.each([
  ['plain', true],
  ['🚢', true],
  ['', true],
  ['a\0b', false],
  ['\uD83D', false],
  ['\uDEA2\uD83D', false],
])('when a text is %j, then it is well-formed: %s', (text, expected) => {
  expect(WellFormedText.safeParse(text).success).toBe(expected);
});

test('when a text in an object is malformed, then the refusal names its place, not the text', () => {
  const result = JsonObject.safeParse({ a: [{ b: 'canary\0' }], 'k\0': 1, c: { '\uD800': 2 } });
  const issues = result.error?.issues ?? [];
  expect(issues.map(({ path }) => path.map(String).join('.').replace('\0', 'NUL')).sort()).toEqual([
    'a.0.b',
    'c',
    'kNUL',
  ]);
  expect(issues.map(({ message }) => message).join()).not.toContain('canary');
});

test('when a text is accepted, then it survives UTF-8 and holds no NUL', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      (text) => {
        const survives = Buffer.from(text, 'utf8').toString() === text && !text.includes('\0');
        expect(WellFormedText.safeParse(text).success).toBe(survives);
      },
    ),
  );
});
