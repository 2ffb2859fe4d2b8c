const connection_codes = new Set([
  // Of the operating system.
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // Of the server: shut down by an administrator, after a crash, still starting, no connection left.
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

/** Timeouts of the server: for a lock, for a statement, for an idle transaction. */
const timeout_codes = new Set(['55P03', '57014', '25P03']);
const timeout_message = /^Query read timeout/;

/** The words of `pg` and `pg-pool`, which give these no code. */
const connection_message =
  /^Connection terminated|^timeout (exceeded when trying to connect|expired)|^Client has encountered a connection error|^Client was closed/;

/**
 * Whether the statement did not end because the way to the server, or the server, went away or was too slow. What it did
 * is unknown: the server may have committed it. Later it may work again.
 */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isTooSlow(error)) return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) return connection_message.test(error.message);
  // Class 08 is "connection exception"; a socket that is not there is ENOENT.
  return connection_codes.has(code) || /^08\w{3}$/.test(code) || (code === 'ENOENT' && syscall === 'connect');
}

/** Of the connection errors those that a statement may bring about by itself, each time again. */
export function isTooSlow(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? timeout_message.test(error.message) : timeout_codes.has(code);
}

/** Another transaction was in the way, and this one did nothing: a deadlock, or no serial order. */
export function isCollision(error: unknown): boolean {
  return hasCode(error, ['40P01', '40001']);
}

/** A value that was sent is nothing that a column can hold: a NUL, half of a surrogate pair, no uuid, a number too large. */
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
