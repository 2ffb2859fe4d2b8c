/** How room on the disk is counted and kept. Pure. */

/** What a file or a row takes at least: many small ones fill a disk as well. */
const BLOCK_BYTES = 4096;
const FIRST_STEP_BYTES = 1_048_576;
const MAX_STEP_BYTES = 67_108_864;

/** What bytes take on the disk. */
export const spaceOf = (size: number): number => Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;

/**
 * How much more room is kept for bytes whose number nobody has said: twice as much each time, so that a large layer asks seldom.
 * @param kept what it has
 * @param needed what it needs at once
 */
export const nextStep = (kept: number, needed: number): number =>
  Math.max(needed, Math.min(Math.max(kept, FIRST_STEP_BYTES), MAX_STEP_BYTES));
