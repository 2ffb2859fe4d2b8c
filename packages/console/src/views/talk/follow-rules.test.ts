import { ApiError } from '@roadstead/contracts/client';
import { expect, test } from 'vitest';
import { pauseBefore, runIn } from './follow-rules.ts';

const answered = (status: number) => new ApiError('no', { status });

test.each([
  [0, new TypeError('network'), 500],
  [0, answered(0), 500],
  [1, answered(502), 1000],
  [2, answered(429), 2000],
  [7, answered(503), 10_000],
  [8, answered(503), undefined],
  [0, answered(404), undefined],
  [0, answered(403), undefined],
])('when %i tries ended with %s, then the pause is %s', (tries, error, pause) => {
  expect(pauseBefore(tries, error)).toBe(pause);
});

test.each([
  ['/agents/pilot/threads/t/runs/r', 'r'],
  ['/threads/t/runs/r/stream', 'r'],
  ['/threads/t', undefined],
  [null, undefined],
])('when an answer is at %s, then its run is %s', (place, run) => {
  expect(runIn(place)).toBe(run);
});
