import { isOutage, pause } from '@roadstead/kit';
import { isTooSlow } from '@roadstead/postgres';

/** Waiting out an outage of the database. */

const PAUSE_MS = { min: 50, max: 1000 };
/** A statement that is too slow each time is refused by the server, which is no outage. */
const MAX_SLOW = 3;

export interface OutageOptions {
  /** Aborted when the database is no longer needed. */
  readonly closed: AbortSignal;
  /** Called once, when the outage begins. */
  readonly onOutage?: (error: unknown) => void;
}

/**
 * Repeats a query until the outage has passed; the query may be done twice.
 * @throws any other error, and the last one when `closed` is aborted.
 */
export async function retryOutages<T>(
  query: (attempt: number) => Promise<T>,
  { closed, onOutage }: OutageOptions,
): Promise<T> {
  let slow = 0;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await query(attempt);
    } catch (error) {
      slow += isTooSlow(error) ? 1 : 0;
      if (!isOutage(error) || closed.aborted || slow >= MAX_SLOW) throw error;
      if (attempt === 0) onOutage?.(error);
      await pause(Math.min(PAUSE_MS.max, PAUSE_MS.min * 2 ** attempt), closed);
    }
  }
}
