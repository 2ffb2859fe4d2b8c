import { defineConfig } from 'vitest/config';
import { DurationReporter } from './test/support/durations.ts';
import { PlainLine } from './test/support/plain-line.ts';

/** `npm run proof`: what repeats, or brings other people's programs, languages and suites: too long for `npm test`. */
export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.proof.test.ts',
      'test/**/*.proof.test.ts',
      // `npm test` tells these with agents in JavaScript alone.
      'test/chaos/kill-anything.test.ts',
      'test/stories/{assistant,command-line,hostile-agent,own-auth,services-apart}.test.ts',
    ],
    exclude: ['**/node_modules/**', 'test/agents/**'],
    reporters: ['default', new DurationReporter(), new PlainLine()],
    globalSetup: ['packages/testing/src/postgres/global-postgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 1_800_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    passWithNoTests: false,
  },
});
