import { aroundAll, aroundEach, beforeAll, beforeEach } from 'vitest';
import { FixtureHolder, type Open } from './fixture-holder.ts';

/**
 * Opens a value before the tests of a file or suite, and disposes of it after them and their own hooks, if it can be disposed of.
 * Several open in the order in which they are written, and close in the reverse order. Each closes even where another hook fails:
 * the first `afterAll` that throws skips those before it, and no `aroundAll` does.
 * @returns an accessor for tests and hooks.
 */
export function useFixture<T>(open: Open<T>): () => T {
  const holder = new FixtureHolder(open);
  aroundAll(async (runSuite) => {
    await runSuite();
    await holder.close();
  });
  beforeAll(() => holder.open());
  return () => holder.read();
}

/** Opens a value before each test, and disposes of it after the test: otherwise as `useFixture`. */
export function useFixturePerTest<T>(open: Open<T>): () => T {
  const holder = new FixtureHolder(open);
  aroundEach(async (runTest) => {
    await runTest();
    await holder.close();
  });
  beforeEach(() => holder.open());
  return () => holder.read();
}
