import { isConnectionError, isTooSlow } from '@roadstead/kit';

/** What to do while the database is away. */

const AWAY_MS = { min: 50, max: 1000 };
/** A statement that is always too slow is the server's refusal, not its absence. */
const MAX_SLOW = 3;

export interface Waiting {
  /** Aborted when nothing waits for the database any more. */
  readonly closed: AbortSignal;
  /** Told of the first time only. */
  readonly onAway?: (error: unknown) => void;
}

/**
 * Asks again while the database is away; what is asked may be done twice.
 * @throws what else goes wrong, and the last error where nothing waits any more.
 */
export async function onceThere<T>(
  ask: (attempt: number) => Promise<T>,
  { closed, onAway }: Waiting,
): Promise<T> {
  let slow = 0;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask(attempt);
    } catch (error) {
      slow += isTooSlow(error) ? 1 : 0;
      if (!isConnectionError(error) || closed.aborted || slow >= MAX_SLOW) throw error;
      if (attempt === 0) onAway?.(error);
      await pause(Math.min(AWAY_MS.max, AWAY_MS.min * 2 ** attempt), closed);
    }
  }
}

/** Ends early when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
