import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeJson, safeText } from './safe-text.ts';

// oxlint-disable-next-line no-control-regex -- what a terminal acts on
const ACTED_ON = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

test.each([
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['clearing the screen', '\u001b[2J\u001b[Hgone', 'gone'],
  ['a title', '\u001b]0;title\u0007text', 'text'],
  ['a link', '\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\', 'click'],
  ['eight-bit sequences', '\u009b31mred', 'red'],
  ['a return over what was written', 'safe\rfake', 'safefake'],
  ['backspaces', 'a\b\bb', 'ab'],
  ['lines and tabs, which stay', 'one\r\n\ttwo\n', 'one\n\ttwo\n'],
  ['turned writing', 'abc\u202ecba', 'abccba'],
  ['other scripts, which stay', 'größer 日本語 👩‍💻', 'größer 日本語 👩‍💻'],
])('when a text holds %s, then it is safe to print', (_what, text, safe) => {
  expect(safeText(text)).toBe(safe);
});

test('when any text is printed, then a terminal acts on nothing of it', () => {
  const pieces = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b', '\u001b[', '\u001b]', '\u009b', '\u009d', '\u0007', '\u001bP', '\u001b\\'),
  );
  fc.assert(
    fc.property(fc.array(pieces), (parts) => {
      expect(safeText(parts.join(''))).not.toMatch(ACTED_ON);
    }),
  );
});

const sign = fc.integer({ min: 0, max: 0x2_ff }).map((code) => String.fromCodePoint(code));
const breaks = fc.constantFrom('\u2028', '\u2029', '😀');

test('when JSON is made safe, then it keeps every character, escaped', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.oneof(sign, breaks) }), (text) => {
      const json = safeJson({ text });
      expect(json).not.toMatch(ACTED_ON);
      expect(json).not.toMatch(/[\u2028\u2029]/);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});
