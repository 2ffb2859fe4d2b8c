import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProgressLine } from './progress-line.ts';
import type { Progress } from './tool.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('when a call says nothing, then it shows that it lives, until it is over', () => {
  const sent: Progress[] = [];
  {
    using _line = new ProgressLine((progress) => sent.push(progress));
    vi.advanceTimersByTime(9000);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(21_000);
  }
  expect(sent.map(({ progress }) => progress)).toEqual([0, 0.01, 0.02]);
  vi.advanceTimersByTime(60_000);
  expect(sent).toHaveLength(3);
});

test('when progress is told, then it grows, and a sign of life comes only after silence', () => {
  const sent: Progress[] = [];
  using line = new ProgressLine((progress) => sent.push(progress));
  line.report({ progress: 0, total: 10 });
  vi.advanceTimersByTime(9000);
  line.report({ progress: 5, total: 10 });
  line.report({ progress: 5, total: 10 });
  line.report({ progress: 4, total: 10 });
  vi.advanceTimersByTime(9000);
  expect(sent).toEqual([
    { progress: 0, total: 10 },
    { progress: 5, total: 10 },
  ]);
  vi.advanceTimersByTime(1000);
  expect(sent.at(-1)?.progress).toBe(5.01);
});
