import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { soon } from './soon.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('when many have something to do soon, then it is done at one moment, in order', () => {
  const done: string[] = [];
  soon(() => {
    done.push('first');
    soon(() => done.push('later'));
  });
  soon(() => done.push('second'));
  expect([done, vi.getTimerCount()]).toEqual([[], 1]);
  vi.advanceTimersByTime(10);
  expect([done, vi.getTimerCount()]).toEqual([['first', 'second'], 1]);
  vi.advanceTimersByTime(10);
  expect([done, vi.getTimerCount()]).toEqual([['first', 'second', 'later'], 0]);
});
