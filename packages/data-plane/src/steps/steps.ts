/** The limit of a step that has none of its own. */
export const STEP_MS = 600_000;
/**
 * How long work may continue once its signal is aborted: it ends processes and removes files. Never longer than the
 * work's own limit.
 */
const GRACE_MS = 5000;

/** The step did not finish in time; a retry may. */
export class TookTooLong extends Error {
  constructor(what: string, limit_ms: number) {
    super(`${what} within ${limit_ms / 1000} s`);
  }
}

export interface Step<T> {
  /** Ends the work; without it only the limit does. */
  readonly signal?: AbortSignal;
  /**
   * How long it may take, or be silent where it reports progress, and the error beyond that; without it, the work may
   * take until its signal aborts.
   */
  readonly limit?: { readonly ms: number; readonly error: () => Error };
  /** Disposes of a result that comes when nobody waits for it any more. */
  readonly onLate?: (result: T) => unknown;
  readonly grace_ms?: number;
}

/**
 * Awaits work that may never settle, for any reason: libraries, other processes, the disk. Its signal asks it
 * to end; if it hasn't ended a while later, it is left to itself: nobody waits for it any longer, and what it holds
 * is given to others.
 * @param run may report progress, for example at each piece of a transfer: then its limit starts again.
 * @throws the work's own error, the error of its limit, or its signal's reason.
 */
export async function runStep<T>(
  run: (signal: AbortSignal, goesOn: () => void) => Promise<T>,
  { signal, limit, onLate, grace_ms = Math.min(GRACE_MS, limit?.ms ?? GRACE_MS) }: Step<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const late = new AbortController();
  const until = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  using timer = limitTimer(() => late.abort(limit?.error()), limit?.ms);
  const given_up = givenUp(until, grace_ms);
  const work = run(until, timer.restart);
  try {
    return await Promise.race([work, given_up.promise]);
  } catch (error) {
    if (given_up.isOver()) work.then(onLate).catch(() => undefined);
    // With any error that it ends with, the reason is that it took too long.
    if (late.signal.aborted && signal?.aborted !== true) throw late.signal.reason as Error;
    throw error;
  } finally {
    given_up[Symbol.dispose]();
  }
}

/** Counts the time of a limit, where there is one, until it is disposed of. */
function limitTimer(onOver: () => void, limit_ms: number | undefined) {
  let timer: NodeJS.Timeout | undefined;
  let is_over = limit_ms === undefined;
  const restart = () => {
    clearTimeout(timer);
    if (!is_over) timer = setTimeout(onOver, limit_ms);
  };
  restart();
  return {
    restart,
    [Symbol.dispose]: () => {
      is_over = true;
      clearTimeout(timer);
    },
  };
}

/** Rejects some time after a signal, unless it is disposed of before. */
function givenUp(signal: AbortSignal, grace_ms: number) {
  let timer: NodeJS.Timeout | undefined;
  let is_over = false;
  const { promise, reject } = Promise.withResolvers<never>();
  const begin = () => {
    timer = setTimeout(() => {
      is_over = true;
      reject(signal.reason as Error);
    }, grace_ms);
  };
  signal.addEventListener('abort', begin, { once: true });
  return {
    promise,
    isOver: () => is_over,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', begin);
    },
  };
}
