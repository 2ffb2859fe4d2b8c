import type { TimeSlice } from '@roadstead/kit';

/** Does work that pauses by `yield`; in a pause others have their turn when the slice of time is over. */
export async function inTimeSlices<T>(work: Generator<void, T, void>, slice: TimeSlice): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (slice.isOver()) await slice.next();
  }
}
