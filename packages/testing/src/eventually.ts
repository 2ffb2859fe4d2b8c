import { vi } from 'vitest';

/** How long `expect.poll` tries in a test run. */
const PATIENCE_MS = 30_000;

/**
 * Tries until it succeeds: `expect.poll` for hooks, and for answers that are used.
 * @returns the first answer.
 */
export const eventually = <T>(attempt: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(attempt, { timeout: PATIENCE_MS, interval: 20 });
