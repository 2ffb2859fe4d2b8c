import { createHash } from 'node:crypto';

const BITS = 48;

/** Whether a run belongs to the sampled share: always the same runs, and a smaller share is a part of a larger one. */
export function isSampled(run_id: string, sampling_rate: number): boolean {
  const digest = createHash('sha256').update(run_id.toLowerCase()).digest();
  return digest.readUIntBE(0, BITS / 8) / 2 ** BITS < sampling_rate;
}
