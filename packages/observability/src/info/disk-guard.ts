import { statfs } from 'node:fs/promises';
import { type Clock, Problem } from '@roadstead/kit';

/** The share of free disk below which no more traces are accepted. */
const MIN_FREE_PERCENT = 5;
const FRESH_MS = 2000;

export interface DiskGuard {
  /** Free share of the disk, in percent; 100 where the traces lie elsewhere. */
  freePercent(): Promise<number>;
  /** Warnings for the operator, in sentences. */
  warnings(): Promise<string[]>;
  /** @throws Problem `unavailable` when the disk is nearly full. */
  requireSpace(): Promise<void>;
}

/** @param measure gives the free share of the disk in percent. */
export function createDiskGuard(measure: () => Promise<number>, clock: Clock): DiskGuard {
  let measured = { at: Number.NEGATIVE_INFINITY, percent: 100 };
  const freePercent = async () => {
    const now = clock.now();
    if (Math.abs(now - measured.at) >= FRESH_MS) measured = { at: now, percent: await measure() };
    return measured.percent;
  };
  const warnings = async () =>
    (await freePercent()) >= MIN_FREE_PERCENT
      ? []
      : [`Less than ${MIN_FREE_PERCENT} % of the disk is free: no more traces are accepted.`];
  return {
    freePercent,
    warnings,
    async requireSpace() {
      const [warning] = await warnings();
      if (warning === undefined) return;
      throw new Problem('unavailable', warning, {
        hint: 'Free some space, or move the data folder to a larger disk.',
        retry_after_s: 60,
      });
    },
  };
}

/** Measures the disk that holds the folder; 100 without a folder, since the database is then elsewhere. */
export function folderMeasure(folder: string | undefined): () => Promise<number> {
  if (folder === undefined) return async () => 100;
  return async () => {
    const { bavail, blocks } = await statfs(folder);
    return blocks === 0 ? 100 : (bavail / blocks) * 100;
  };
}
