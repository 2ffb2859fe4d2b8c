import { ApiError } from '@roadstead/contracts/client';

/** When a broken stream is taken up again, and when it is given up. */

const [FIRST_MS, LONGEST_MS, MOST_TRIES] = [500, 10_000, 8];

/** How long to wait before the next try; undefined where another one is of no use. */
export function pauseBefore(tries: number, error: unknown): number | undefined {
  if (tries >= MOST_TRIES || !isPassing(error)) return undefined;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** tries);
}

/** A connection that broke, a server that restarts or has too much to do. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;

/** The run that an accepted request started, by the address that the answer names. */
export const runIn = (content_location: string | null): string | undefined =>
  /\/runs\/([^/?]+)/.exec(content_location ?? '')?.[1];
