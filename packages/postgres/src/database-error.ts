const connection_codes = new Set([
  // Codes of the operating system.
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // Codes of the server: shut down by an administrator, after a crash, still starting, no connection left.
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

/** Timeouts of the server: for a lock, for a statement, for an idle transaction. */
const timeout_codes = new Set(['55P03', '57014', '25P03']);
const timeout_message = /^Query read timeout/;

/** Messages of `pg` and `pg-pool` for errors without a code. */
const connection_message =
  /^Connection terminated|^timeout (exceeded when trying to connect|expired)|^Client has encountered a connection error|^Client was closed/;

/**
 * Whether a statement failed because the server or the connection to it went away or was too slow. Its effect is
 * unknown: the server may have committed it. A later attempt may succeed.
 */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isTooSlow(error)) return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) return connection_message.test(error.message);
  // Class 08 is "connection exception"; a socket that is not there is ENOENT.
  return connection_codes.has(code) || /^08\w{3}$/.test(code) || (code === 'ENOENT' && syscall === 'connect');
}

/** Whether it is one of those connection errors that a statement may cause by itself, every time. */
export function isTooSlow(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? timeout_message.test(error.message) : timeout_codes.has(code);
}

/**
 * Whether another transaction was in the way, so that this one had no effect: a deadlock, or a serialization failure.
 */
export function isCollision(error: unknown): boolean {
  return hasCode(error, ['40P01', '40001']);
}

/** Whether a value cannot be stored in any column: a NUL, half of a surrogate pair, no uuid, a number too large. */
export function isUnstorable(error: unknown): boolean {
  return hasCode(error, ['22003', '22021', '22P02', '22P05']);
}

const hasCode = (error: unknown, codes: readonly string[]) =>
  error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');

/** Whether a row with the same key exists; where `constraint` is given, by that constraint or unique index. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof Error)) return false;
  const found = error as Error & { code?: string; constraint?: string };
  return found.code === '23505' && (constraint === undefined || found.constraint === constraint);
}

/** Other rows refer to what was to be removed, or what was written refers to a row that is not there. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, ['23503']);
}
