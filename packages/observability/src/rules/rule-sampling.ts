import { createHash } from 'node:crypto';

const BITS = 48;

/** Whether a run is among the share that is acted on: always the same runs, and those of a smaller share among them. */
export function isSampled(run_id: string, sampling_rate: number): boolean {
  const digest = createHash('sha256').update(run_id.toLowerCase()).digest();
  return digest.readUIntBE(0, BITS / 8) / 2 ** BITS < sampling_rate;
}
