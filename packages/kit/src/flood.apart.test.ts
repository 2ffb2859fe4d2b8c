import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { longestHold, MOST_HELD_MS } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { readLines } from './lines.ts';

const LIMITS = { lines_per_s: 1000, most_lines: 2000, bytes_per_s: 1_048_576 };
const LEFT_OUT = /^… (\d+) lines are left out here: no more than 1000 a second are kept$/;

const leftOut = (lines: readonly string[]) =>
  lines.reduce((sum, line) => sum + Number(LEFT_OUT.exec(line)?.[1] ?? 0), 0);

test('when a program never stops printing, then few lines come, it waits, and nobody is held up', async () => {
  const lines: string[] = [];
  const child = spawn('yes', { stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const begun = performance.now();
  const held = await longestHold(async () => {
    readLines(child.stdout, { onLine: (line) => lines.push(line), limits: LIMITS });
    await expect.poll(() => lines.filter((line) => LEFT_OUT.test(line)).length, { timeout: 20_000 }).toBe(3);
  });
  child.kill('SIGKILL');
  await closed;
  const took_s = (performance.now() - begun) / 1000;
  expect(held).toBeLessThan(MOST_HELD_MS);
  // A piece of a kilobyte is passed on whole, and so are the last 16 at the end.
  expect(lines.length).toBeLessThan(2000 + took_s * 1000 + 5 * 512 + 8192);
  expect(2 * (lines.length + leftOut(lines))).toBeLessThan((took_s + 2) * LIMITS.bytes_per_s);
});

test('when much comes at once, then each line is told or counted, and the last ones are told', async () => {
  const COUNT = 30_000;
  const lines: string[] = [];
  const input = new PassThrough();
  const closed = new Promise((resolve) => input.once('close', resolve));
  readLines(input, { onLine: (line) => lines.push(line), limits: LIMITS });
  input.end(Array.from({ length: COUNT }, (_, at) => `line ${at}\n`).join(''));
  await closed;
  const told = lines.filter((line) => /^line \d+$/.test(line));
  expect(told.length + leftOut(lines)).toBe(COUNT);
  expect(told[0]).toBe('line 0');
  expect(lines.at(-1)).toBe(`line ${COUNT - 1}`);
  expect(told.length).toBeLessThan(COUNT / 4);
});

test('when output comes to rest, then its last lines are told, and what follows comes whole', async () => {
  const lines: string[] = [];
  const input = new PassThrough();
  readLines(input, { onLine: (line) => lines.push(line), limits: LIMITS });
  input.write(`${'many\n'.repeat(10_000)}why it failed\nbegun `);
  await expect.poll(() => lines.at(-1), { timeout: 5000 }).toBe('why it failed');
  input.end('and ended\n');
  await expect.poll(() => lines.at(-1)).toMatch(/and ended/);
});

test('when lines are left out, then no part of a secret is told', async () => {
  const SECRET = `sk-${'0123456789'.repeat(4)}`;
  const lines: string[] = [];
  const input = new PassThrough();
  const closed = new Promise((resolve) => input.once('close', resolve));
  const mask = (text: string) => text.replaceAll(SECRET, '********');
  readLines(input, { onLine: (line) => lines.push(line), mask, limits: LIMITS });
  input.end(`${SECRET}${SECRET}\n`.repeat(5000));
  await closed;
  expect(leftOut(lines)).toBeGreaterThan(0);
  expect(lines.filter((line) => !LEFT_OUT.test(line) && line !== '****************')).toEqual([]);
});
