import { TimeSlice } from './time-slice.ts';

/** Joins the chunks; a large copy is made in time slices. */
export async function joined(chunks: readonly Uint8Array[]): Promise<Buffer> {
  const slice = new TimeSlice();
  const whole = Buffer.allocUnsafeSlow(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
    if (slice.isOver()) await slice.next();
  }
  return whole;
}
