import { setTimeout } from 'node:timers/promises';

/** Time as a port: tests advance it by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: Date.now };

/** Ends early when the signal is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);
