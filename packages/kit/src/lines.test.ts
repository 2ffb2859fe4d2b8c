import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_LINE } from './line-splitter.ts';
import { readLines } from './lines.ts';
import { longestHold, MOST_HELD_MS } from '@roadstead/testing';

const SECRET = 'sk-0123456789abcdef';
const mask = (text: string) => text.replaceAll(SECRET, '********');

async function linesOf(pieces: readonly (string | Uint8Array)[]): Promise<string[]> {
  const input = new PassThrough();
  const lines: string[] = [];
  readLines(input, { onLine: (line) => lines.push(line), mask, limits: undefined });
  for (const piece of pieces) input.write(piece);
  input.end();
  await new Promise((resolve) => input.once('close', resolve));
  return lines;
}

test('when bytes are cut anywhere, then lines and characters come out whole', async () => {
  const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\r\n]/g, '').toWellFormed());
  const ends = fc.constantFrom('\n', '\r\n');
  await fc.assert(
    fc.asyncProperty(fc.array(line), ends, fc.array(fc.nat()), async (lines, end, cuts) => {
      const bytes = Buffer.from(lines.map((one) => one + end).join(''));
      const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
      const pieces = [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
      expect(await linesOf(pieces)).toEqual(lines);
    }),
  );
});

test('when a last line has no end, then it is told, and a lone return ends one', async () => {
  expect(await linesOf(['10 %\r', '20 %\r', '\n\nlast'])).toEqual(['10 %', '20 %', '', 'last']);
});

test('when a line is endless, then its beginning is told once, and the next line whole', async () => {
  const megabyte = 'x'.repeat(1_000_000);
  const [long = '', ...rest] = await linesOf([...Array.from({ length: 50 }, () => megabyte), '\nnext\n']);
  expect(long.length).toBeLessThan(MAX_LINE + 100);
  expect(long.startsWith('xxx')).toBe(true);
  expect(rest).toEqual(['next']);
});

test.each([0, 1, 7, SECRET.length - 1, SECRET.length])(
  'when a secret ends %i characters beyond where a line is cut, then nothing of it is told',
  async (beyond) => {
    for (const cut of [MAX_LINE, MAX_LINE + 16_384]) {
      const before = 'x'.repeat(cut - SECRET.length + beyond);
      const text = `${before}${SECRET}${'y'.repeat(100_000)}\n`;
      for (const pieces of [[text], text.match(/.{1,1000}\n?/g) ?? []])
        expect((await linesOf(pieces)).join().includes('sk-')).toBe(false);
    }
  },
);

test('when masking makes a line shorter, then no beginning of a secret comes to light', async () => {
  const many = SECRET.repeat(9000);
  for (let at = 82_000; at < 82_000 + SECRET.length; at += 1) {
    const [line = ''] = await linesOf([many.slice(0, at), many.slice(at)]);
    expect([line.length > 1000, line.includes('sk-')]).toEqual([true, false]);
  }
});

test('when a program prints nothing but empty lines, then it holds nobody up', async () => {
  const chunk = Buffer.from('\n'.repeat(65_536));
  let count = 0;
  const readAll = async () => {
    const input = new PassThrough();
    // Handling a line takes a while.
    const onLine = () => {
      mask(`${SECRET} ${SECRET}`);
      count += 1;
    };
    readLines(input, { onLine, limits: undefined });
    for (let sent = 0; sent < 4; sent += 1) input.write(chunk);
    input.end();
    await new Promise((resolve) => input.once('close', resolve));
  };
  expect(await longestHold(() => Promise.all(Array.from({ length: 8 }, readAll)))).toBeLessThan(MOST_HELD_MS);
  expect(count).toBe(8 * 4 * 65_536);
});
