import { expect, test } from 'vitest';
import { piecesOf, plainText } from './ansi-rules.ts';

const ESC = '\u001B';

test.each([
  ['plain', [['plain', '']]],
  [
    `${ESC}[31mred${ESC}[0m rest`,
    [
      ['red', 'text-bad'],
      [' rest', ''],
    ],
  ],
  [
    `${ESC}[1;32mok${ESC}[22m still`,
    [
      ['ok', 'text-good font-bold'],
      [' still', 'text-good'],
    ],
  ],
  [`${ESC}[38;5;196mx`, [['x', 'text-bad']]],
  [
    `${ESC}[38;2;10;250;10mx${ESC}[39my`,
    [
      ['x', 'text-good'],
      ['y', ''],
    ],
  ],
  [`${ESC}[41mx`, [['x', 'bg-bad-soft']]],
  [`${ESC}[93mx`, [['x', 'text-warn']]],
  [`${ESC}[2K${ESC}[1Gx`, [['x', '']]],
  [`${ESC}]8;;https://a.test${ESC}\\link${ESC}]8;;${ESC}\\`, [['link', '']]],
  [`${ESC}]0;title\u0007x`, [['x', '']]],
  [`${ESC}[31`, [['[31', '']]],
  [`a\u0000b\u0007c`, [['abc', '']]],
  ['10 %\r50 %\r100 %', [['100 %', '']]],
])('when a line is %j, then its pieces are %j', (line, pieces) => {
  expect(piecesOf(line).map(({ text, look }) => [text, look])).toEqual(pieces);
});

test('when a line has markup, then it stays text', () => {
  expect(plainText(`${ESC}[31m<img src=x onerror=alert(1)>`)).toBe('<img src=x onerror=alert(1)>');
});

test('when a line has a million escapes, then it is read in one pass', () => {
  expect(plainText(`${ESC}[`.repeat(200_000)).length).toBeGreaterThan(0);
});
