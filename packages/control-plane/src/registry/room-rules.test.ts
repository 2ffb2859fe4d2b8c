import { expect, test } from 'vitest';
import { nextStep, spaceOf } from './room-rules.ts';

test.each([
  [0, 0],
  [1, 4096],
  [4096, 4096],
  [4097, 8192],
])('when bytes are %i, then they take %i on the disk', (size, space) => {
  expect(spaceOf(size)).toBe(space);
});

const MB = 1_048_576;
test.each([
  [0, 4096, MB],
  [0, 3 * MB, 3 * MB],
  [4 * MB, 4096, 4 * MB],
  [500 * MB, 4096, 64 * MB],
])('when %i are kept and %i more are needed, then the step is %i', (kept, needed, step) => {
  expect(nextStep(kept, needed)).toBe(step);
});
