import { defineConfig } from 'vitest/config';
import { PlainLine } from '../plain-line.ts';

/** For `plain-line.test.ts`: files that end in every way there is. */
export default defineConfig({
  test: {
    include: ['*.case.ts'],
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    reporters: [new PlainLine()],
  },
});
