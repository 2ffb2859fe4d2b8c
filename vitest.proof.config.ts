import { defineConfig } from 'vitest/config';
import { PlainLine } from './test/support/plain-line.ts';

/** `npm run proof`: what is repeated so often that it would make `npm test` too long. */
export default defineConfig({
  test: {
    include: ['test/proof/**/*.test.ts'],
    reporters: ['default', new PlainLine()],
    globalSetup: ['test/support/global-postgres.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 1_800_000,
    hookTimeout: 240_000,
    passWithNoTests: false,
  },
});
