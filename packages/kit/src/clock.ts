/** Time as a port: tests advance it by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: Date.now };
