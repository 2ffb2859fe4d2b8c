/** Long work on the event loop, done a few milliseconds at a time so that other requests are answered in between. */

const SLICE_MS = 8;

/** The jobs that wait to continue. Each turn of the event loop belongs to one of them, however many there are. */
let turns: Promise<void> = Promise.resolve();

function ownTurn(): Promise<void> {
  turns = turns.then(() => new Promise((resolve) => setImmediate(resolve)));
  return turns;
}

export class TimeSlice {
  #ends = performance.now() + SLICE_MS;

  isOver(): boolean {
    return performance.now() >= this.#ends;
  }

  /** Waits for a turn of the event loop, with which the next slice begins. */
  async next(): Promise<void> {
    await ownTurn();
    this.#ends = performance.now() + SLICE_MS;
  }
}

/** The end of the slice that all arrivals of this turn share; undefined before the first one. */
let arrivals_end: number | undefined;

/**
 * Work that arrives unasked, such as frames of hosts: however many hosts send, together they have one slice of each
 * turn.
 */
export const arrivals = {
  isOver(): boolean {
    const now = performance.now();
    if (arrivals_end === undefined) {
      arrivals_end = now + SLICE_MS;
      setImmediate(() => (arrivals_end = undefined));
    }
    return now >= arrivals_end;
  },

  /** Waits for a turn of the event loop that belongs to the caller alone. */
  next: ownTurn,
};

/** Does work that pauses by `yield`; at a pause other work gets its turn once the time slice is over. */
export async function inTimeSlices<T>(work: Generator<void, T, void>, slice: TimeSlice): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (slice.isOver()) await slice.next();
  }
}
