import { ApiError } from '@roadstead/contracts';
import { isCollision, isConnectionError, isUnstorable } from '@roadstead/postgres/errors';
import { malformed, Problem, type ProblemKind } from './problem.ts';

/**
 * The class of an error decides what to do. An `outage` passes by itself: retry for as long as it takes. A
 * `refusal` is the caller's fault: the same request is refused again. An `accident` is our fault or the machine's,
 * such as a bug or a full disk: retry a few times, and log it.
 */
export type ErrorClass = 'outage' | 'refusal' | 'accident';

/** Not reached, too slow, too busy, or a proxy whose server is one of these. */
const outageStatuses: readonly number[] = [0, 408, 425, 429, 502, 503, 504];
const outageKinds: readonly ProblemKind[] = ['unavailable', 'limit'];
const accidentKinds: readonly ProblemKind[] = ['internal', 'not_implemented'];

export function classifyError(error: unknown): ErrorClass {
  if (error instanceof Problem) {
    if (outageKinds.includes(error.kind)) return 'outage';
    return accidentKinds.includes(error.kind) ? 'accident' : 'refusal';
  }
  if (error instanceof ApiError) {
    if (outageStatuses.includes(error.status)) return 'outage';
    return error.status >= 400 && error.status < 500 ? 'refusal' : 'accident';
  }
  if (!(error instanceof Error)) return 'accident';
  if (isUnstorable(error)) return 'refusal';
  const { code = '' } = error as NodeJS.ErrnoException;
  const passes = error.name === 'TimeoutError' || isConnectionError(error) || isCollision(error);
  if (passes || code.startsWith('UND_ERR_')) return 'outage';
  return isOutage(error.cause) ? 'outage' : 'accident';
}

export const isOutage = (error: unknown): boolean => classifyError(error) === 'outage';

/** What a caller may know of an error; undefined for an accident, which callers only learn of by a log. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (isUnstorable(error))
    return malformed(['request'], 'holds a character or a value that cannot be stored, such as a NUL');
  if (!isOutage(error)) return undefined;
  const what = error instanceof ApiError ? 'A service that this needs' : 'The database';
  return new Problem('unavailable', `${what} is away for a moment; try again.`, {
    cause: error,
    retry_after_s: 1,
  });
}
