import type { Reporter, TestModule } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** The line that continuous integration reads: `N passed, N failed, N skipped`. */
const plainLine: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter(
      (module) => module.state() === 'failed' && [...module.children.allTests()].length === 0,
    ).length;
    process.stdout.write(
      `${count('passed')} passed, ${count('failed') + broken} failed, ${count('skipped')} skipped\n`,
    );
  },
};

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'bin/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/agents/**'],
    reporters: ['default', plainLine],
    globalSetup: ['test/support/global-postgres.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    passWithNoTests: false,
  },
});
