import { expect, test } from 'vitest';
import { youngMb } from './host-program.ts';

test.each([
  [128, 4],
  [512, 8],
  [1024, 16],
  [4096, 16],
])('when a host may have %i MB, then its young generation has %i', (memory_mb, young_mb) => {
  expect(youngMb(memory_mb)).toBe(young_mb);
});
