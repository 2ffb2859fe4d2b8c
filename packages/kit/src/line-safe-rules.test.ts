import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineSafe } from './line-safe-rules.ts';
import { createLog } from './log.ts';

const SIGNS = ['\u2028', '\u2029', '\u0085'];
const SAID = `one${SIGNS.join('two')}“three” €Â`;
/** The line ends of Python's `str.splitlines`; JSON never holds the others that it knows. */
const BREAKS = ['\n', '\r', '\v', '\f', '\u001c', '\u001d', '\u001e', ...SIGNS];
const isOnOneLine = (text: string) => !BREAKS.some((sign) => text.includes(sign));
const unit = fc.constantFrom(...SIGNS, '\u2027', 'â', 'Â', '€', '\u0080', '😀', '\\', '"', 'a');

test('when JSON is made safe for readers of lines, then it says the same on one line', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit })), (texts) => {
      const safe = lineSafe(JSON.stringify(texts));
      expect(isOnOneLine(safe)).toBe(true);
      expect(JSON.parse(safe)).toEqual(texts);
    }),
  );
});

test('when a log names what was said, then its line stays one', () => {
  const lines: string[] = [];
  createLog({ level: 'info', write: (line) => lines.push(line) }).info('said', { said: SAID });
  expect(lines.map((line) => isOnOneLine(line.trimEnd()))).toEqual([true]);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ said: SAID });
});
