import { expect, test } from 'vitest';
import { LogBuffer, type LogLine, MOST_LINES } from './log-buffer.ts';

const line = (number: number): LogLine => ({
  id: String(number),
  timestamp: '2026-01-05T09:00:00.000Z',
  level: 'INFO',
  message: `line ${number}`,
});

/** A buffer whose frames come when the test says so. */
function framed() {
  const frames: (() => void)[] = [];
  const buffer = new LogBuffer((flush) => void frames.push(flush));
  let told = 0;
  buffer.subscribe(() => void (told += 1));
  return { buffer, frame: () => frames.splice(0).forEach((flush) => flush()), told: () => told };
}

test('when many lines come within a frame, then the page is told once', () => {
  const { buffer, frame, told } = framed();
  for (let number = 0; number < 10_000; number += 1) buffer.append(line(number));
  expect(told()).toBe(0);
  frame();
  expect([told(), buffer.snapshot().lines.length]).toEqual([1, 10_000]);
});

test('when more lines come than are kept, then the oldest go, and the first is counted on', () => {
  const { buffer, frame } = framed();
  for (let number = 0; number < MOST_LINES + 20_000; number += 1) {
    buffer.append(line(number));
    if (number % 1000 === 999) frame();
  }
  frame();
  const { lines, base } = buffer.snapshot();
  expect(lines.length).toBeLessThanOrEqual(MOST_LINES + 5000);
  expect(lines[0]?.id).toBe(String(base));
  expect(lines.at(-1)?.id).toBe(String(MOST_LINES + 19_999));
});

test('when nobody looks for long, then the newest lines are kept', () => {
  const { buffer, frame } = framed();
  for (let number = 0; number < 3 * MOST_LINES; number += 1) buffer.append(line(number));
  frame();
  expect(buffer.snapshot().lines.length).toBeLessThanOrEqual(MOST_LINES + 5000);
  expect(buffer.snapshot().lines.at(-1)?.id).toBe(String(3 * MOST_LINES - 1));
});

test('when older lines are put before, then those that were there keep their numbers', () => {
  const { buffer, frame } = framed();
  buffer.append(line(10));
  frame();
  buffer.prepend([line(8), line(9)]);
  const { lines, base } = buffer.snapshot();
  expect([base, lines.map(({ id }) => id)]).toEqual([-2, ['8', '9', '10']]);
});
