import { vi } from 'vitest';

/** How long `expect.poll` tries in a test run. */
const PATIENCE_MS = 30_000;

/**
 * Tries until it succeeds: `expect.poll` for hooks, and for answers that are used.
 * @returns the first answer.
 */
export const eventually = <T>(
  attempt: () => T | Promise<T>,
  { within_ms = PATIENCE_MS }: { readonly within_ms?: number } = {},
): Promise<T> => vi.waitFor(attempt, { timeout: within_ms, interval: 20 });
