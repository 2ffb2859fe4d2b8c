/** Long work on the event loop, done a few milliseconds at a time so that other requests are answered in between. */

const SLICE_MS = 8;

/** The jobs that wait to go on. Each turn of the loop belongs to one of them, however many there are. */
let turns: Promise<void> = Promise.resolve();

export class TimeSlice {
  #ends = performance.now() + SLICE_MS;

  isOver(): boolean {
    return performance.now() >= this.#ends;
  }

  /** Waits for a turn of the event loop, from which on the next slice counts. */
  async next(): Promise<void> {
    turns = turns.then(() => new Promise((resolve) => setImmediate(resolve)));
    await turns;
    this.#ends = performance.now() + SLICE_MS;
  }
}
