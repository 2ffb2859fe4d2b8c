import type { TimeSlice } from '@roadstead/kit';

/** Does work that pauses by `yield`; at a pause other work gets its turn once the time slice is over. */
export async function inTimeSlices<T>(work: Generator<void, T, void>, slice: TimeSlice): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (slice.isOver()) await slice.next();
  }
}
