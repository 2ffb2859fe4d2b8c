import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * The line that continuous integration reads: `N passed, N failed, N skipped`. Whatever should have run and has no result
 * counts as failed: tests and files that a worker lost when it died, and tests whose preparation failed.
 */
export class PlainLine implements Reporter {
  #specifications: readonly TestSpecification[] = [];

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#specifications = specifications;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const begun = new Set(modules.map(placeOf));
    const lost = this.#specifications.filter((one) => !begun.has(placeOf(one)));
    const { passed, failed, skipped } = sumOf(modules.map(countsOf));
    const all_failed = failed + lost.length;
    process.stdout.write(
      `${passed} passed, ${all_failed === 0 ? errors.length : all_failed} failed, ${skipped} skipped\n`,
    );
  }
}

const placeOf = ({ moduleId, project }: TestModule | TestSpecification) => `${project.name}:${moduleId}`;

function countsOf(module: TestModule): Counts {
  const tests = [...module.children.allTests()];
  const failed = tests.filter(isFailed).length;
  const state = module.state();
  // One that breaks before or after its tests.
  const is_broken = failed === 0 && state !== 'passed' && state !== 'skipped';
  return {
    passed: tests.filter((test) => test.result().state === 'passed').length,
    failed: is_broken ? 1 : failed,
    skipped: tests.filter((test) => test.result().state === 'skipped' && !isFailed(test)).length,
  };
}

function isFailed(test: TestCase): boolean {
  const { state } = test.result();
  if (state !== 'skipped') return state !== 'passed';
  // It was to run, and what it needs could not be made.
  return test.options.mode === 'run' && isWithinBroken(test);
}

function isWithinBroken(test: TestCase): boolean {
  for (let { parent } = test; ; { parent } = parent) {
    if (parent.errors().length > 0) return true;
    if (parent.type === 'module') return false;
  }
}

const sumOf = (counts: readonly Counts[]): Counts =>
  counts.reduce(
    (sum, one) => ({
      passed: sum.passed + one.passed,
      failed: sum.failed + one.failed,
      skipped: sum.skipped + one.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
