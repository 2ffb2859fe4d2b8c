import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { DurationReporter, fileOf, readDurations } from './test/support/durations.ts';
import { PlainLine } from './test/support/plain-line.ts';

const durations = readDurations();

/** What takes longest begins first, so that the workers end together. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) => durations[fileOf(moduleId)] ?? 0;
    return files.toSorted((one, other) => secondsOf(other) - secondsOf(one));
  }
}

const tests = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'bin/**/*.test.ts'];
/** What has a process of its own: it looks at how long its event loop is held, what its heap holds, or what it emits. */
const apart = ['**/*.apart.test.ts'];
/** What runs with the Python graph host, the suite of the host protocol once more; skipped where there is no Python. */
const python = [
  'test/python/*.test.ts',
  'test/conformance/python-saver.test.ts',
  'test/compat/python-versions.test.ts',
];
const exclude = ['**/node_modules/**', 'test/agents/**', '**/*.proof.test.ts'];

/** Stories of the web console, which share one platform and its examples. */
const ofConsole = ['test/console/*.test.ts'];

export default defineConfig({
  test: {
    // Loading the modules anew for each file would take a quarter of the whole time, so most files share a process.
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: tests,
          exclude: [...exclude, ...apart, ...python, ...ofConsole],
          isolate: false,
          env: { ROADSTEAD_TEST_LANGUAGE: 'javascript' },
        },
      },
      { extends: true, test: { name: 'apart', include: apart, exclude } },
      {
        extends: true,
        test: {
          name: 'console',
          include: ofConsole,
          exclude,
          isolate: false,
          globalSetup: ['test/console/support/console-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'python',
          include: ['test/host-protocol/*.test.ts', ...python],
          exclude,
          isolate: false,
          env: { ROADSTEAD_HOST: 'python' },
          globalSetup: ['test/support/python-setup.ts'],
          setupFiles: ['test/support/needs-python.ts'],
        },
      },
    ],
    reporters: ['default', new DurationReporter(), new PlainLine()],
    globalSetup: ['packages/testing/src/postgres/global-postgres.ts'],
    sequence: { sequencer: SlowestFirst },
    pool: 'forks',
    // Node loads what it runs anyway, and keeps it compiled: another transformation would be computed for each module.
    experimental: { viteModuleRunner: false },
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    passWithNoTests: false,
  },
});
